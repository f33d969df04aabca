import { useSignal } from '@preact/signals';
import type { VerificationDocument } from '../../src/verification-document.ts';
import { count, formatMs } from '../format.ts';
import { getJson, problemText } from '../net/api.ts';
import type { VerificationOutcome } from './verification.ts';
import type { VerifyReply, VerifyRequest } from './verify-worker.ts';

type Progress =
  | { readonly kind: 'idle' }
  | { readonly kind: 'busy'; readonly text: string }
  | { readonly kind: 'error'; readonly text: string }
  | { readonly kind: 'done'; readonly outcome: VerificationOutcome; readonly flipped: boolean };

function verifyInThread(request: VerifyRequest): Promise<VerificationOutcome> {
  const worker = new Worker(new URL('./verify-worker.ts', import.meta.url), { type: 'module' });
  const answer = new Promise<VerificationOutcome>((resolve, reject) => {
    worker.onmessage = ({ data }: MessageEvent<VerifyReply>) => {
      if ('outcome' in data) resolve(data.outcome);
      else reject(new Error(data.error));
    };
    worker.onerror = () => reject(new Error('The verifier could not be loaded; reload the page.'));
  });
  worker.postMessage(request);
  return answer.finally(() => worker.terminate());
}

/** Checks the proof in this browser, with the code of @cuzk/core. */
export function VerifyHere({ proofId, ready }: { proofId: string; ready: boolean }) {
  const progress = useSignal<Progress>({ kind: 'idle' });
  const verify = async (flipBit: boolean) => {
    progress.value = { kind: 'busy', text: 'Fetching proof, public inputs and verifying key…' };
    try {
      const path = `/v1/proofs/${proofId}/verification`;
      const document = await getJson<VerificationDocument>(path);
      progress.value = { kind: 'busy', text: 'Checking points and pairings in this browser…' };
      const outcome = await verifyInThread({ document, flipBit });
      progress.value = { kind: 'done', outcome, flipped: flipBit };
    } catch (error) {
      progress.value = { kind: 'error', text: problemText(error) };
    }
  };
  const busy = progress.value.kind === 'busy';
  return (
    <>
      <p class="muted">
        Fetches the proof, its public inputs and the verifying key, and takes the pairings here: the
        service is not asked whether the proof holds.
      </p>
      <p class="button-row">
        <button
          type="button"
          class="primary"
          disabled={!ready || busy}
          onClick={() => void verify(false)}
        >
          Verify in this browser
        </button>
        <button type="button" disabled={!ready || busy} onClick={() => void verify(true)}>
          Try with one bit flipped
        </button>
      </p>
      <div class="verdict" role="status">
        {ready ? (
          <Verdict progress={progress.value} />
        ) : (
          'There is a result once the proof has succeeded.'
        )}
      </div>
    </>
  );
}

function Verdict({ progress }: { progress: Progress }) {
  if (progress.kind === 'idle') return <>Not checked yet.</>;
  if (progress.kind === 'busy') return <>{progress.text}</>;
  if (progress.kind === 'error') return <p class="problem">{progress.text}</p>;
  const { outcome, flipped } = progress;
  return (
    <>
      <p class={outcome.verified ? 'good' : 'bad'}>
        <strong>{outcome.verified ? '✓ Verified here' : '✗ Does not verify'}</strong>
        {flipped ? ', with one bit of the proof flipped' : ''}:{' '}
        {count(outcome.partitions, 'partition')}, {count(outcome.proofBytes, 'byte')},{' '}
        {count(outcome.publicInputs, 'public input')}, in {formatMs(outcome.milliseconds)}.
      </p>
      <p>
        {outcome.keyIsPublished
          ? 'The verifying key is the one that Filecoin publishes.'
          : 'The verifying key is not a published one: insecure development parameters prove nothing to anybody.'}
      </p>
      <dl class="fact-list hex">
        <div>
          <dt>comm_r</dt>
          <dd>{outcome.commR}</dd>
        </div>
        <div>
          <dt>comm_d</dt>
          <dd>{outcome.commD}</dd>
        </div>
        <div>
          <dt>replica_id</dt>
          <dd>{outcome.replicaId}</dd>
        </div>
        <div>
          <dt>key digest</dt>
          <dd>{outcome.keyDigest}</dd>
        </div>
      </dl>
    </>
  );
}
