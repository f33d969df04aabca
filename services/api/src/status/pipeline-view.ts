import { findSectorShape } from '@cuzk/core/porep/sector';
import type { PartitionRecord, PartitionState } from '@cuzk/service-kit/record/types';
import type { ListedProof } from './fleet-reading.ts';
import type { CuzkPartitionState, PartitionView, PipelineView } from './status-types.ts';

const CUZK_STATES: Readonly<Record<PartitionState, CuzkPartitionState>> = {
  pending: 'pending',
  queued: 'pending',
  synthesizing: 'synthesizing',
  synthesized: 'synth_done',
  proving: 'gpu',
  proved: 'done',
  failed: 'failed',
  cancelled: 'failed',
};

export const iso = (unixMs: number | null | undefined): string | null =>
  unixMs === null || unixMs === undefined ? null : new Date(unixMs).toISOString();

export const sectorName = (bytes: number | null): string | null =>
  bytes === null ? null : (findSectorShape(bytes)?.name ?? `${bytes} bytes`);

/** The mark of the process behind "#" is for fences. */
export const workerName = (owner: string | null): string | null => owner?.split('#')[0] ?? null;

/** Time between two states; until now while the second was not entered since. */
function elapsedMs(
  { enteredAt, state }: PartitionRecord,
  from: PartitionState,
  to: PartitionState,
  nowMs: number,
): number | null {
  const start = enteredAt[from];
  if (start === undefined) return null;
  const end = enteredAt[to];
  if (end !== undefined && end >= start) return end - start;
  return state === from ? Math.max(0, nowMs - start) : null;
}

function partitionView(partition: PartitionRecord, nowMs: number): PartitionView {
  const { index, state, attempts, failures, losses, problem } = partition;
  return {
    index,
    state: CUZK_STATES[state],
    stage: state,
    synth_ms: elapsedMs(partition, 'synthesizing', 'synthesized', nowMs),
    gpu_ms: elapsedMs(partition, 'proving', 'proved', nowMs),
    worker: workerName(partition.owner ?? partition.prover),
    entered_at: iso(partition.enteredAt[state]),
    attempts: attempts.synthesize + attempts.prove,
    failures: failures.synthesize + failures.prove,
    losses,
    error: problem?.code ?? null,
  };
}

/** One proof in the shape of cuzk's `pipelines`, and what the page shows besides. */
export function pipelineView({ record, waiting }: ListedProof, nowMs: number): PipelineView {
  const { partitions, problem } = record;
  return {
    job_id: record.proofId,
    proof_kind: 'porep-c2',
    started_secs_ago: Math.max(0, nowMs - record.createdAt) / 1000,
    total_partitions: partitions.length,
    partitions_done: partitions.filter(({ state }) => state === 'proved').length,
    partitions: partitions.map((partition) => partitionView(partition, nowMs)),
    state: record.state,
    run: record.run,
    miner: `f0${record.minerId}`,
    sector: record.sectorNumber,
    sector_size: sectorName(record.sectorBytes),
    parameters: record.parameters,
    priority: record.priority,
    created_at: new Date(record.createdAt).toISOString(),
    ended_at: iso(record.endedAt),
    deadline_at: iso(record.deadlineAt),
    position: waiting.position,
    waiting: waiting.reason,
    error: problem === null ? null : { code: problem.code, message: problem.message },
  };
}
