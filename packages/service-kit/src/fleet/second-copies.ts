import type { Redis } from 'ioredis';
import { readPresence, type WorkerPresence } from '../presence/presence.ts';
import { offerCopy } from '../record/offer-copy.ts';
import type { NextUnit, StageUnit } from '../record/types.ts';
import { BUSY_KEY, PENDING_KEY, PROVABLE_KEY, proofKey, SUSPECTS_KEY } from '../redis/keys.ts';

/** A copy is worth its work when it would end before the first attempt by this part of its own time. */
const GAIN_MIN = 0.25;

/** A partition on a prover: who, since when, and when it should be done. */
export interface RunningPartition {
  readonly unit: StageUnit;
  readonly circuitId: string;
  readonly hasCopy: boolean;
  /** ms from now until it should be done. */
  readonly leftMs: number;
}

/** A prover without work: ms that a partition takes it, by circuit. */
export interface IdleProver {
  readonly name: string;
  readonly ms: Readonly<Record<string, number>>;
}

/** ms until a partition claimed `elapsedMs` ago is done. One that is late will take as long again as it took so far. */
export const leftMsOf = (expectedMs: number, elapsedMs: number): number =>
  elapsedMs <= expectedMs ? expectedMs - elapsedMs : elapsedMs;

/** Which idle prover should start a copy of which partition: the latest ones first, each by the fastest. */
export function chooseCopies(
  idle: readonly IdleProver[],
  running: readonly RunningPartition[],
): readonly { readonly unit: StageUnit; readonly worker: string }[] {
  const free = new Set(idle);
  const chosen: { unit: StageUnit; worker: string }[] = [];
  const open = running.filter(({ hasCopy }) => !hasCopy).sort((a, b) => b.leftMs - a.leftMs);
  for (const { unit, circuitId, leftMs } of open) {
    const able = [...free].filter(({ ms }) => ms[circuitId] !== undefined);
    const [best] = able.sort((a, b) => (a.ms[circuitId] ?? 0) - (b.ms[circuitId] ?? 0));
    if (best === undefined) continue;
    if ((best.ms[circuitId] ?? 0) * (1 + GAIN_MIN) >= leftMs) continue;
    free.delete(best);
    chosen.push({ unit, worker: best.name });
  }
  return chosen;
}

/**
 * Offers partitions that slow provers hold to faster ones that have nothing to do. Only when nothing waits for a
 * prover or will soon. Returns the units whose jobs the caller adds.
 */
export async function offerCopies(redis: Redis, nowMs: number): Promise<readonly NextUnit[]> {
  const [provable, pending, busy] = await Promise.all([
    redis.zcard(PROVABLE_KEY),
    redis.zcard(PENDING_KEY),
    redis.hgetall(BUSY_KEY),
  ]);
  if (provable > 0 || pending > 0 || Object.keys(busy).length === 0) return [];
  const suspects = await redis.hgetall(SUSPECTS_KEY);
  const workers = await readPresence(redis);
  const owners = new Set(Object.keys(busy).map((field) => field.split(' ')[0]));
  const idle = workers
    .filter(({ role, silent, facts }) => role === 'gpu-worker' && !silent && facts.ready)
    .filter(({ owner, name }) => !owners.has(owner) && suspects[name] === undefined)
    .map(({ name, facts }) => ({ name, ms: msOf(facts) }));
  if (idle.length === 0) return [];
  const running = await readRunning(redis, busy, workers, nowMs);
  const units: NextUnit[] = [];
  for (const { unit, worker } of chooseCopies(idle, running)) {
    units.push(...(await offerCopy(redis, unit, worker)));
  }
  return units;
}

const msOf = ({ circuits = [], secondsPerPartition = {} }: WorkerPresence['facts']) =>
  Object.fromEntries(
    Object.entries(secondsPerPartition)
      .filter(([circuitId]) => circuits.includes(circuitId))
      .map(([circuitId, seconds]) => [circuitId, seconds * 1000]),
  );

const BUSY = /^(\S+) (.+):(\d+)$/;

async function readRunning(
  redis: Redis,
  busy: Readonly<Record<string, string>>,
  workers: readonly WorkerPresence[],
  nowMs: number,
): Promise<RunningPartition[]> {
  const running: RunningPartition[] = [];
  for (const [field, at] of Object.entries(busy)) {
    const [, owner = '', proofId = '', index = ''] = BUSY.exec(field) ?? [];
    const partition = Number(index);
    const [circuitId, run, attempt, first, copy] = await redis.hmget(
      proofKey(proofId),
      'circuitId',
      'run',
      `p${partition}.prove.attempt`,
      `p${partition}.prove.owner`,
      `p${partition}.copy.owner`,
    );
    if (!circuitId || first !== owner) continue;
    const worker = workers.find((candidate) => candidate.owner === owner);
    const expectedMs = worker === undefined ? undefined : msOf(worker.facts)[circuitId];
    const elapsedMs = Math.max(0, nowMs - Number(at));
    running.push({
      unit: { proofId, run: Number(run), stage: 'prove', partition, attempt: Number(attempt) },
      circuitId,
      hasCopy: copy !== null && copy !== undefined,
      leftMs: leftMsOf(expectedMs ?? elapsedMs, elapsedMs),
    });
  }
  return running;
}
