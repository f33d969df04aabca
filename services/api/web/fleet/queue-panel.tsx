import { formatSeconds } from '../format.ts';
import { clock, status } from '../state/status-store.ts';

/** The queues: how many wait and run, and how long the oldest has waited. */
export function QueuePanel() {
  const queues = (status.value?.queues ?? []).filter(({ queue }) => queue !== 'maintenance');
  return (
    <section class="card" aria-labelledby="queues">
      <h2 id="queues">Queues</h2>
      <table class="plain">
        <thead>
          <tr>
            <th scope="col">Stage</th>
            <th scope="col" class="number">
              Waiting
            </th>
            <th scope="col" class="number">
              Running
            </th>
            <th scope="col" class="number">
              Delayed
            </th>
            <th scope="col" class="number">
              Oldest waits
            </th>
          </tr>
        </thead>
        <tbody>
          {queues.map(({ queue, waiting, active, delayed, oldest_at }) => (
            <tr key={queue}>
              <td>{queue}</td>
              <td class="number">{waiting}</td>
              <td class="number">{active}</td>
              <td class="number">{delayed}</td>
              <td class="number">
                {oldest_at === null
                  ? '–'
                  : formatSeconds((clock.value - Date.parse(oldest_at)) / 1000)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="muted">
        {status.value?.counters.queue_depth ?? 0} partitions are not taken yet;{' '}
        {status.value?.synthesis.active ?? 0} of {status.value?.synthesis.max_concurrent ?? 0}{' '}
        synthesis slots are busy.
      </p>
    </section>
  );
}
