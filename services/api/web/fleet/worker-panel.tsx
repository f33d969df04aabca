import type { WorkerView } from '../../src/status/status-types.ts';
import { count, formatBytes } from '../format.ts';
import { status } from '../state/status-store.ts';
import { KillButton } from './kill-button.tsx';

/** The processes of the fleet. */
export function WorkerPanel() {
  const workers = status.value?.workers ?? [];
  return (
    <section class="card" aria-labelledby="workers">
      <h2 id="workers">Processes</h2>
      <div class="scroll-x">
        <table class="plain">
          <thead>
            <tr>
              <th scope="col">Process</th>
              <th scope="col">State</th>
              <th scope="col" class="number">
                Holds
              </th>
              <th scope="col" class="number">
                Memory
              </th>
            </tr>
          </thead>
          <tbody>
            {workers.map((worker) => (
              <WorkerRow key={worker.name} worker={worker} />
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function WorkerRow({ worker }: { worker: WorkerView }) {
  const { name, role, silent, ready, status: said, holds, slots, resident_bytes } = worker;
  const state = silent ? 'silent' : ready ? 'ready' : 'not ready';
  return (
    <tr data-worker={name}>
      <td class="clip" title={name}>
        {name}
      </td>
      <td>
        <span
          class={`dot ${silent ? 'dot-bad' : ready ? 'dot-ok' : 'dot-wait'}`}
          aria-hidden="true"
        />{' '}
        <span title={said}>{state}</span>{' '}
        {role === 'synth-worker' ? <KillButton worker={name} silent={silent} /> : null}
      </td>
      <td class="number" title={slots === null ? '' : `runs ${count(slots, 'unit')} at once`}>
        {slots === null ? holds : `${holds} of ${slots}`}
      </td>
      <td class="number">{resident_bytes === null ? '–' : formatBytes(resident_bytes)}</td>
    </tr>
  );
}
