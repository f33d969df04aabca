import type { GpuWorkerView } from '../../src/status/status-types.ts';
import { formatBytes, formatSeconds, shortId, shortWorker } from '../format.ts';
import { proofAddress } from '../state/route.ts';
import { clock, status } from '../state/status-store.ts';
import { KillButton } from './kill-button.tsx';

/** Devices: what each is, and what it does now. */
export function GpuPanel() {
  const workers = status.value?.gpu_workers ?? [];
  return (
    <section class="card" aria-labelledby="gpus">
      <h2 id="gpus">GPUs</h2>
      {workers.length === 0 ? <p class="empty">No gpu-worker is running.</p> : null}
      <ul class="rows">
        {workers.map((worker) => (
          <GpuRow key={worker.name} worker={worker} />
        ))}
      </ul>
    </section>
  );
}

function GpuRow({ worker }: { worker: GpuWorkerView }) {
  const { name, adapter, device_bytes, seconds_per_partition } = worker;
  const bytes = Object.values(device_bytes ?? {}).reduce((sum, own) => sum + own, 0);
  const rates = Object.entries(seconds_per_partition).map(
    ([size, seconds]) => `${size} ${seconds.toFixed(1)} s a partition`,
  );
  const facts = [
    phaseOf(worker),
    adapter ?? 'adapter not known yet',
    bytes > 0 ? `${formatBytes(bytes)} on the device` : '',
    ...rates,
  ].filter((fact) => fact !== '');
  return (
    <li data-worker={name}>
      <div class="row-head">
        <span class={`dot ${dotOf(worker)}`} aria-hidden="true" />
        <strong title={name}>{shortWorker(name)}</strong>
        <span class="grow">
          <Work worker={worker} />
        </span>
        <KillButton worker={name} silent={worker.silent} />
      </div>
      <p class="muted">{facts.join(' · ')}</p>
    </li>
  );
}

/** What the device is at now, as its worker says: a phase without the share that it never has. */
const phaseOf = ({ state, status: said }: GpuWorkerView): string =>
  state === 'proving' && said !== 'ready' ? said.replace(/ 0 %$/, '') : '';

const dotOf = ({ silent, ready, state }: GpuWorkerView): string => {
  if (silent) return 'dot-bad';
  if (!ready) return 'dot-wait';
  return state === 'proving' ? 'dot-busy' : 'dot-ok';
};

function Work({ worker }: { worker: GpuWorkerView }) {
  const { silent, ready, current_job, current_partition, status: said } = worker;
  if (silent) return <span class="bad">silent</span>;
  if (current_job === null) return <span>{ready ? 'idle' : said}</span>;
  return (
    <>
      <a href={proofAddress(current_job)}>{shortId(current_job)}</a> partition {current_partition},{' '}
      <span class="figure">{busyOf(worker)}</span>
    </>
  );
}

/** When each piece of work was first seen: the figure runs on from there. */
const firstSeen = new Map<string, { readonly key: string; readonly sinceMs: number }>();

function busyOf({ name, current_job, current_partition, busy_secs }: GpuWorkerView): string {
  const key = `${current_job} ${current_partition}`;
  const known = firstSeen.get(name);
  const seen = known?.key === key ? known : { key, sinceMs: clock.value - 1_000 * busy_secs };
  firstSeen.set(name, seen);
  return formatSeconds((clock.value - seen.sinceMs) / 1000);
}
