import type { Redis } from 'ioredis';
import { dispatchAll } from '../fleet/dispatcher.ts';
import { HANDOFF_POOL, poolStatus } from '../permits/permits.ts';
import type { Failure } from '../record/changes.ts';
import { type ProofEvent, readAllEvents } from '../record/read-events.ts';
import { readProof } from '../record/read-proof.ts';
import { ENDED_STATES, type NextUnit, type Problem } from '../record/types.ts';
import { GPU, WITNESS_BYTES } from './sample-proof.ts';

const LIMITS = { handoffBytes: 100 * WITNESS_BYTES, window: 100 };
export const PROBLEM: Problem = { code: 'GPU_DEVICE_LOST', message: 'gone' };

/** A failure of the usual GPU that may be tried again. */
export const failure = (changes: Partial<Failure> = {}): Failure => ({
  problem: PROBLEM,
  retryable: true,
  maxFailures: 3,
  worker: GPU.name,
  excludeMs: 0,
  ...changes,
});

/** Releases everything that waits for dispatch. */
export const dispatched = async (redis: Redis): Promise<readonly NextUnit[]> =>
  (await dispatchAll(redis, LIMITS)).units;

/** State of the run, then of each partition. */
export async function states(redis: Redis, id: string): Promise<readonly (string | undefined)[]> {
  const proof = await readProof(redis, id);
  return [proof?.state, ...(proof?.partitions.map((p) => p.state) ?? [])];
}

/** Bytes in use in the hand-off pool. */
export const usedBytes = async (redis: Redis): Promise<number> =>
  (await poolStatus(redis, HANDOFF_POOL)).usedBytes;

/** Events with which a run ended. */
export const terminalEvents = async (redis: Redis, id: string): Promise<readonly ProofEvent[]> =>
  (await readAllEvents(redis, id)).filter(
    ({ type, data }) => type === 'state' && ENDED_STATES.some((state) => state === data.state),
  );
