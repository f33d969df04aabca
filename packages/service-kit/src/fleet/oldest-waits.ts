import type { Redis } from 'ioredis';
import { readProof } from '../record/read-proof.ts';
import type { PartitionState, ProofRecord, Stage } from '../record/types.ts';
import { STAGES } from '../record/types.ts';
import { LIVE_KEY } from '../redis/keys.ts';
import { redisTimeMs } from '../redis/redis-time.ts';

/** Live proofs that are looked at, oldest first: what waits longest is nearly always among them. */
const PROOFS_MAX = 100;

const WAITS_FOR: Readonly<Partial<Record<PartitionState, Stage>>> = {
  pending: 'synthesize',
  queued: 'synthesize',
  synthesized: 'prove',
};

/** Unix ms since when the units of a proof wait, by stage. */
export function waitingSince(proof: ProofRecord): readonly (readonly [Stage, number])[] {
  const since: [Stage, number][] = [];
  const add = (stage: Stage, at: number | undefined) => at !== undefined && since.push([stage, at]);
  if (proof.state === 'received' && proof.attempts.ingest === 0)
    add('ingest', proof.enteredAt.received);
  if (proof.state === 'finalizing' && proof.attempts.finalize === 0) {
    add('finalize', proof.enteredAt.finalizing);
  }
  for (const { state, enteredAt } of proof.partitions) {
    const stage = WAITS_FOR[state];
    // Waiting for dispatch is waiting for synthesis: the one goes over into the other.
    if (stage !== undefined)
      add(stage, state === 'queued' ? (enteredAt.pending ?? enteredAt.queued) : enteredAt[state]);
  }
  return since;
}

/**
 * How long the unit of each stage that waits longest has waited, in seconds, by the clock of Redis; 0 where none waits.
 */
export async function oldestWaits(
  redis: Redis,
  nowMs?: number,
): Promise<ReadonlyMap<Stage, number>> {
  const now = nowMs ?? (await redisTimeMs(redis));
  const oldest = new Map<Stage, number>(STAGES.map((stage) => [stage, 0]));
  for (const proofId of await redis.zrange(LIVE_KEY, '0', String(PROOFS_MAX - 1))) {
    const proof = await readProof(redis, proofId);
    if (proof === null) continue;
    for (const [stage, at] of waitingSince(proof)) {
      oldest.set(stage, Math.max(oldest.get(stage) ?? 0, (now - at) / 1000));
    }
  }
  return oldest;
}
