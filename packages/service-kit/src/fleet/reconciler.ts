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

/**
 * Compares every live record with what should be: takes work from silent owners, ends runs past their
 * deadline, and names every unit whose job must exist.
 */
export async function reconcile(redis: Redis, options: ReconcileOptions): Promise<Reconciliation> {
  const units: NextUnit[] = [];
  const lost: LostUnit[] = [];
  const expired: string[] = [];
  for (const proofId of await redis.zrange(LIVE_KEY, '0', '-1')) {
    if (options.judgeSilence) {
      const requeued = await requeueSilentOwners(redis, proofId, options.silentMs);
      lost.push(...requeued.lost);
    }
    const waiting = await waitingUnits(redis, proofId);
    if (waiting.expired) {
      await cancelRun(redis, proofId, 'expired');
      expired.push(proofId);
    } else {
      units.push(...waiting.next);
    }
  }
  await runScript(redis, 'reap-handoff', {});
  return { units, lost, expired };
}
