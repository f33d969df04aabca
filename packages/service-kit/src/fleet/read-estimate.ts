import type { Redis } from 'ioredis';
import { readPresence, type WorkerPresence } from '../presence/presence.ts';
import { classOf } from '../record/priority.ts';
import type { PartitionState, ProofRecord } from '../record/types.ts';
import { BUSY_KEY, durationsKey, WEIGHTS_KEY } from '../redis/keys.ts';
import { percentile } from './autoscale.ts';
import { type Estimate, estimateFinish, type Lane, type StageLoad } from './estimate.ts';
import { type LiveProof, readLive } from './read-live.ts';

/** The proof that is asked about: one that is live, or one that might be submitted. */
export interface Asked {
  /** null: not submitted yet, it would be the last of its tenant and class. */
  readonly proofId: string | null;
  readonly circuitId: string;
  readonly priorityClass: number;
  readonly tenant: string;
  readonly deadlineAt: number | null;
  readonly sequence: number;
  readonly states: readonly PartitionState[];
}

const NOT_SYNTHESIZED: readonly PartitionState[] = ['pending', 'queued', 'synthesizing'];
const NOT_PROVED: readonly PartitionState[] = [...NOT_SYNTHESIZED, 'synthesized', 'proving'];
/** Assumed of durations of which there are too few. */
const SPREAD_UNKNOWN = 1.5;
const SAMPLES_MIN = 5;
/** Assumed of finalize before one has been seen. */
const TAIL_SECONDS = 1;

const countIn = (states: readonly PartitionState[], wanted: readonly PartitionState[]): number =>
  states.filter((state) => wanted.includes(state)).length;

/**
 * When a proof would be ready, by what the fleet has measured of its circuit and by what goes before. Null where
 * nothing has been measured, or no worker can do it now.
 */
export async function readEstimate(redis: Redis, asked: Asked): Promise<Estimate | null> {
  const [live, workers, weights, busy] = await Promise.all([
    readLive(redis),
    readPresence(redis),
    redis.hgetall(WEIGHTS_KEY),
    redis.hgetall(BUSY_KEY),
  ]);
  const synthTimes = await timesOf(redis, 'synthesize', asked.circuitId);
  const proveTimes = await timesOf(redis, 'prove', asked.circuitId);
  const tail = percentile(await durationsOf(redis, 'finalize', asked.circuitId), 0.5);
  const alive = workers.filter(({ silent, facts }) => !silent && facts.ready);
  const ahead = (wanted: readonly PartitionState[]) => unitsAhead(asked, live, weights, wanted);
  const synthesis: StageLoad = {
    lanes: synthLanes(alive, synthTimes.median),
    spread: synthTimes.spread,
    unitsAhead: ahead(NOT_SYNTHESIZED),
    ownUnits: countIn(asked.states, NOT_SYNTHESIZED),
  };
  const proving: StageLoad = {
    lanes: proverLanes(alive, asked.circuitId, proveTimes.median, busy),
    spread: proveTimes.spread,
    unitsAhead: ahead([...NOT_SYNTHESIZED, 'synthesized']),
    ownUnits: countIn(asked.states, NOT_PROVED),
  };
  return estimateFinish(synthesis, proving, tail === null ? TAIL_SECONDS : tail / 1000);
}

/** When a proof that has been submitted will be ready; null when it has ended or ingest has not seen it. */
export async function readEstimateOf(redis: Redis, proof: ProofRecord): Promise<Estimate | null> {
  const { proofId, circuitId, tenant, deadlineAt, sequence, partitions } = proof;
  if (proof.endedAt !== null || circuitId === null || proof.state === 'cancelling') return null;
  return readEstimate(redis, {
    ...{ proofId, circuitId, tenant, deadlineAt, sequence },
    priorityClass: classOf(proof.priority),
    states: partitions.map(({ state }) => state),
  });
}

const durationsOf = async (redis: Redis, stage: string, circuitId: string): Promise<number[]> =>
  (await redis.lrange(durationsKey(stage, circuitId), 0, -1)).map(Number);

async function timesOf(
  redis: Redis,
  stage: string,
  circuitId: string,
): Promise<{ median: number | null; spread: number }> {
  const durations = await durationsOf(redis, stage, circuitId);
  const median = percentile(durations, 0.5);
  const p95 = percentile(durations, 0.95);
  const known = median !== null && p95 !== null && durations.length >= SAMPLES_MIN && median > 0;
  return {
    median: median === null ? null : median / 1000,
    spread: known ? p95 / median : SPREAD_UNKNOWN,
  };
}

function synthLanes(alive: readonly WorkerPresence[], median: number | null): Lane[] {
  if (median === null) return [];
  return alive
    .filter(({ role }) => role === 'synth-worker')
    .flatMap(({ facts }) =>
      Array.from({ length: facts.slots ?? 1 }, () => ({ seconds: median, freeInSeconds: 0 })),
    );
}

function proverLanes(
  alive: readonly WorkerPresence[],
  circuitId: string,
  median: number | null,
  busy: Readonly<Record<string, string>>,
): Lane[] {
  // A worker may have taken its next partition already: the first one is what it works on.
  const since = new Map<string, number>();
  for (const [unit, at] of Object.entries(busy)) {
    const owner = unit.split(' ')[0] ?? '';
    since.set(owner, Math.min(Number(at), since.get(owner) ?? Number(at)));
  }
  return alive.flatMap(({ owner, role, facts, seenAt }) => {
    if (role !== 'gpu-worker' || !facts.circuits?.includes(circuitId)) return [];
    const seconds = facts.secondsPerPartition?.[circuitId] ?? median;
    if (seconds === null) return [];
    const claimedAt = since.get(owner);
    const workedSeconds = claimedAt === undefined ? seconds : (seenAt - claimedAt) / 1000;
    return { seconds, freeInSeconds: Math.max(0, seconds - Math.max(0, workedSeconds)) };
  });
}

/** Partitions of other proofs that go before those of the proof that is asked about. */
function unitsAhead(
  asked: Asked,
  live: readonly LiveProof[],
  weights: Readonly<Record<string, string>>,
  wanted: readonly PartitionState[],
): number {
  const weightOf = (tenant: string) => Number(weights[tenant || '-'] ?? 1);
  let ahead = 0;
  let own = countIn(asked.states, wanted);
  const others = new Map<string, number>();
  for (const proof of live) {
    if (proof.proofId === asked.proofId) continue;
    const units = proof.states.length === 0 ? 1 : countIn(proof.states, wanted);
    if (proof.priorityClass < asked.priorityClass) ahead += units;
    else if (proof.priorityClass === asked.priorityClass) {
      if (proof.tenant !== asked.tenant) {
        others.set(proof.tenant, (others.get(proof.tenant) ?? 0) + units);
      } else if (goesBefore(proof, asked)) own += units;
    }
  }
  ahead += own - countIn(asked.states, wanted);
  // Tenants take turns: each gets no more than its share until this proof is through.
  for (const [tenant, units] of others) {
    ahead += Math.min(units, Math.ceil((own * weightOf(tenant)) / weightOf(asked.tenant)));
  }
  return ahead;
}

/** Within a tenant and class: earliest deadline, then order of arrival. */
function goesBefore(proof: LiveProof, asked: Asked): boolean {
  const [a, b] = [proof.deadlineAt ?? Infinity, asked.deadlineAt ?? Infinity];
  return a === b ? proof.sequence < asked.sequence : a < b;
}
