import { shortWorker } from '../format.ts';
import { request } from '../net/api.ts';
import { attempt } from '../state/notices.ts';
import { status } from '../state/status-store.ts';

/** Chaos: ends a worker as a crash would. There only where the fleet was started for it. */
export function KillButton({ worker, silent }: { worker: string; silent: boolean }) {
  if (status.value?.service.chaos !== true) return null;
  const kill = () =>
    attempt(`${worker} is killed; its work goes to others within 10 s.`, () =>
      request('/v1/chaos', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ worker }),
      }),
    );
  return (
    <button
      type="button"
      class="danger"
      disabled={silent}
      aria-label={`Kill ${shortWorker(worker)}`}
      onClick={() => void kill()}
    >
      Kill
    </button>
  );
}
