import type { Redis } from 'ioredis';
import {
  cancelRun,
  type LostUnit,
  requeueSilentOwners,
  waitingUnits,
} from '../record/run-control.ts';
import type { NextUnit } from '../record/types.ts';
import { LIVE_KEY } from '../redis/keys.ts';
import { runScript } from '../redis/scripts.ts';

export interface Reconciliation {
  /** Units that wait: their jobs must be in the queues. */
  readonly units: readonly NextUnit[];
  readonly lost: readonly LostUnit[];
  readonly expired: readonly string[];
}

export interface ReconcileOptions {
  readonly silentMs?: number;
  /** False right after Redis came back: silence then says nothing about an owner. */
  readonly judgeSilence: boolean;
}

/** Records that are looked at at once: a round trip for all of them together, and others get a turn after it. */
const AT_ONCE = 32;

/**
 * Compares every live record with what should be: takes work from silent owners, ends runs past their
 * deadline, and names every unit whose job must exist.
 */
export async function reconcile(redis: Redis, options: ReconcileOptions): Promise<Reconciliation> {
  const units: NextUnit[] = [];
  const lost: LostUnit[] = [];
  const expired: string[] = [];
  const live = await redis.zrange(LIVE_KEY, '0', '-1');
  for (let start = 0; start < live.length; start += AT_ONCE) {
    const some = live
      .slice(start, start + AT_ONCE)
      .map((proofId) => inspect(redis, proofId, options));
    for (const found of await Promise.all(some)) {
      units.push(...found.units);
      lost.push(...found.lost);
      expired.push(...found.expired);
    }
  }
  await runScript(redis, 'reap-handoff', {});
  return { units, lost, expired };
}

async function inspect(
  redis: Redis,
  proofId: string,
  { judgeSilence, silentMs }: ReconcileOptions,
): Promise<Reconciliation> {
  const { lost } = judgeSilence
    ? await requeueSilentOwners(redis, proofId, silentMs)
    : { lost: [] };
  const { next, expired } = await waitingUnits(redis, proofId);
  if (!expired) return { units: next, lost, expired: [] };
  await cancelRun(redis, proofId, 'expired');
  return { units: [], lost, expired: [proofId] };
}
