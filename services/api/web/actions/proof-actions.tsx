import { shortId } from '../format.ts';
import { request } from '../net/api.ts';
import { isLive } from '../proofs/state-chip.tsx';
import { features } from '../state/features.ts';
import { attempt } from '../state/notices.ts';

const RETRYABLE = new Set(['failed', 'expired']);

/** The buttons that fit the state of a proof and that the API has. */
export function ProofActions({ proofId, state }: { proofId: string; state: string }) {
  const { cancel, retry } = features.value;
  const path = `/v1/proofs/${proofId}`;
  const name = shortId(proofId);
  return (
    <span class="actions">
      {cancel && isLive(state) ? (
        <button
          type="button"
          disabled={state === 'cancelling'}
          aria-label={`Cancel ${name}`}
          onClick={() =>
            void attempt(`${name} is cancelled.`, () => request(path, { method: 'DELETE' }))
          }
        >
          Cancel
        </button>
      ) : null}
      {retry && RETRYABLE.has(state) ? (
        <button
          type="button"
          aria-label={`Retry ${name}`}
          onClick={() =>
            void attempt(`${name} begins another run.`, () =>
              request(`${path}/retry`, { method: 'POST' }),
            )
          }
        >
          Retry
        </button>
      ) : null}
    </span>
  );
}
