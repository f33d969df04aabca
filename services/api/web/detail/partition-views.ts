import type { PartitionView } from '../../src/status/status-types.ts';
import type { ProofDocument } from './proof-data.ts';

const span = (from: string | null | undefined, to: string | null | undefined): number | null => {
  const ms = Date.parse(to ?? '') - Date.parse(from ?? '');
  return Number.isNaN(ms) || ms < 0 ? null : ms;
};

/** The partitions of a proof that is no longer in the status, in the form of the status. */
export function partitionViews({ partitions }: ProofDocument): PartitionView[] {
  return partitions.map(
    ({ index, state, worker, attempts, failures, losses, enteredAt, problem }) => ({
      index,
      // Not shown: the finer name is.
      state: 'done',
      stage: state,
      synth_ms: span(enteredAt.synthesizing, enteredAt.synthesized),
      gpu_ms: span(enteredAt.proving, enteredAt.proved),
      worker,
      entered_at: enteredAt[state] ?? null,
      attempts: attempts.synthesize + attempts.prove,
      failures: failures.synthesize + failures.prove,
      losses,
      error: problem?.code ?? null,
    }),
  );
}
