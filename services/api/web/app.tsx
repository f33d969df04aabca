import { signal } from '@preact/signals';
import { KeyDialog } from './actions/key-dialog.tsx';
import { SubmitDialog } from './actions/submit-dialog.tsx';
import { ProofDetail } from './detail/proof-detail.tsx';
import { GpuPanel } from './fleet/gpu-panel.tsx';
import { MemoryPanel } from './fleet/memory-panel.tsx';
import { PermitPanel } from './fleet/permit-panel.tsx';
import { QueuePanel } from './fleet/queue-panel.tsx';
import { WorkerPanel } from './fleet/worker-panel.tsx';
import { apiKey, keyWanted } from './net/api.ts';
import { ProofList } from './proofs/proof-list.tsx';
import { dismiss, notices } from './state/notices.ts';
import { FLEET_ADDRESS, openProof } from './state/route.ts';
import { clock, connection, pageIsStale, status } from './state/status-store.ts';
import { isDark, toggleTheme } from './state/theme.ts';

const dialog = signal<'key' | 'submit' | null>(null);
const close = () => {
  dialog.value = null;
};

export function App() {
  const proofId = openProof.value;
  return (
    <>
      <Header />
      <Banners />
      <main>
        <div class="column-main">
          {proofId === null ? <ProofList /> : <ProofDetail key={proofId} proofId={proofId} />}
        </div>
        <aside aria-label="The fleet">
          <GpuPanel />
          <QueuePanel />
          <PermitPanel />
          <MemoryPanel />
          <WorkerPanel />
        </aside>
      </main>
      <div class="notices" role="status" aria-live="polite">
        {notices.value.map(({ id, text, bad }) => (
          <p key={id} class={bad ? 'notice notice-bad' : 'notice'}>
            {text}
            <button type="button" aria-label="Dismiss" onClick={() => dismiss(id)}>
              ×
            </button>
          </p>
        ))}
      </div>
      {dialog.value === 'submit' ? <SubmitDialog onClose={close} /> : null}
      {dialog.value === 'key' || keyWanted.value ? <KeyDialog onClose={close} /> : null}
    </>
  );
}

function Header() {
  const counters = status.value?.counters;
  const figures: [string, number][] = [
    ['live', counters?.live ?? 0],
    ['succeeded', counters?.total_completed ?? 0],
    ['failed', counters?.total_failed ?? 0],
    ['cancelled', counters?.cancelled ?? 0],
  ];
  return (
    <header class="top">
      <h1>
        <a href={FLEET_ADDRESS}>cuzk-cluster</a>
      </h1>
      <Connection />
      <ul class="figures" aria-label="Proofs">
        {figures.map(([name, value]) => (
          <li key={name}>
            <strong class="figure">{value.toLocaleString('en')}</strong> {name}
          </li>
        ))}
      </ul>
      <div class="top-actions">
        <button
          type="button"
          class="primary"
          onClick={() => {
            dialog.value = 'submit';
          }}
        >
          Submit a C1
        </button>
        <button
          type="button"
          onClick={() => {
            dialog.value = 'key';
          }}
        >
          {apiKey.value === '' ? 'API key' : 'API key ✓'}
        </button>
        <button type="button" onClick={toggleTheme}>
          {isDark() ? 'Light' : 'Dark'}
        </button>
      </div>
    </header>
  );
}

function Connection() {
  const state = connection.value;
  if (state.kind === 'open') {
    return (
      <p class="connection" role="status">
        <span class="dot dot-ok" aria-hidden="true" /> live
      </p>
    );
  }
  const seconds = state.kind === 'waiting' ? Math.ceil((state.retryAt - Date.now()) / 1000) : 0;
  const text = seconds > 0 ? `again in ${seconds} s` : 'connecting';
  return (
    <p class="connection" role="status" title={state.kind === 'waiting' ? state.reason : ''}>
      <span class="dot dot-wait" aria-hidden="true" /> {text}
    </p>
  );
}

function Banners() {
  const service = status.value?.service;
  const insecure = status.value?.gpu_workers.some(
    ({ parameters }) => parameters === 'insecure-development',
  );
  const { value: state } = connection;
  const lost = state.kind === 'waiting' ? state.reason : null;
  // The clock makes the pause count down.
  void clock.value;
  return (
    <div class="banners">
      {pageIsStale.value ? (
        <p class="banner">
          This page has been replaced by a newer one.{' '}
          <button type="button" onClick={() => location.reload()}>
            Reload
          </button>
        </p>
      ) : null}
      {lost === null ? null : (
        <p class="banner banner-bad">
          {status.value === null ? lost : 'The connection is lost; what you see is from before.'}
        </p>
      )}
      {service !== undefined && !service.ready ? (
        <p class="banner">Not ready to prove: {service.waiting_for.join('; ')}.</p>
      ) : null}
      {insecure ? (
        <p class="banner">
          Insecure development parameters: proofs of this fleet prove nothing to anybody.
        </p>
      ) : null}
    </div>
  );
}
