import type { PipelineView } from '../../src/status/status-types.ts';
import { ProofActions } from '../actions/proof-actions.tsx';
import { formatMs, formatSeconds, formatTime, shortId, withShortIds } from '../format.ts';
import { proofAddress } from '../state/route.ts';
import { clock } from '../state/status-store.ts';
import { PartitionGrid } from './partition-grid.tsx';
import { StateChip } from './state-chip.tsx';

/** One proof of the fleet: what it is, how far it is, why it waits, and its partitions. */
export function ProofCard({ proof }: { proof: PipelineView }) {
  const { job_id, state } = proof;
  return (
    <article class="card proof" aria-label={`Proof ${job_id}`} data-proof={job_id}>
      <header class="proof-head">
        <StateChip state={state} />
        <a class="proof-id" href={proofAddress(job_id)} title={job_id}>
          {shortId(job_id)}
        </a>
        <ProofFacts proof={proof} />
        <ProofActions proofId={job_id} state={state} />
      </header>
      <p class="waiting">{sentenceOf(proof)}</p>
      {proof.ended_at !== null && proof.total_partitions === 0 ? null : (
        <PartitionGrid partitions={proof.partitions} label={`Partitions of ${job_id}`} />
      )}
    </article>
  );
}

function ProofFacts({ proof }: { proof: PipelineView }) {
  return (
    <span class="facts">
      <span>
        {proof.miner} sector {proof.sector}
      </span>
      {proof.sector_size === null ? null : <span>{proof.sector_size}</span>}
      {proof.total_partitions === 0 ? null : (
        <span class="figure">
          {proof.partitions_done} of {proof.total_partitions} proved
        </span>
      )}
      <span class="figure">{elapsedOf(proof)}</span>
    </span>
  );
}

function elapsedOf({ created_at, ended_at }: PipelineView): string {
  const startMs = Date.parse(created_at);
  if (ended_at !== null) return formatMs(Date.parse(ended_at) - startMs);
  return formatSeconds((clock.value - startMs) / 1000);
}

/** Why it waits, what went wrong, or what happens; never empty, so that nothing jumps. */
function sentenceOf(proof: PipelineView): string {
  if (proof.error !== null) return `${proof.error.code}: ${proof.error.message}`;
  if (proof.ended_at !== null) return `Ended at ${formatTime(proof.ended_at)}.`;
  if (proof.waiting !== null) {
    const ahead = proof.position === null ? '' : `${aheadOf(proof.position)} `;
    return `${ahead}${withShortIds(proof.waiting)}`;
  }
  if (proof.state === 'received') return 'Its C1 is read and checked.';
  if (proof.state === 'finalizing') return 'All partitions are proved; the whole is verified.';
  if (proof.state === 'cancelling') return 'Workers let go of its partitions.';
  return 'Nothing waits: workers have all of its partitions.';
}

function aheadOf(position: number): string {
  if (position === 0) return 'Next in line.';
  return position === 1 ? '1 partition goes first.' : `${position} partitions go first.`;
}
