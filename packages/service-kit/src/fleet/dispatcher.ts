import type { Redis } from 'ioredis';
import type { PoolStatus } from '../permits/permits.ts';
import type { NextUnit } from '../record/types.ts';
import { asList } from '../record/wire.ts';
import { runScript } from '../redis/scripts.ts';

export interface DispatchLimits {
  /** Cap of the hand-off pool: bytes of witnesses between dispatch and GPU pick-up, fleet-wide. */
  readonly handoffBytes: number;
  /** Most partitions between dispatch and GPU pick-up. */
  readonly window: number;
  /** Part of the cap that only critical and high work may use; 0 when left out. */
  readonly urgentBytes?: number;
  /** Partitions that critical and high work may have on top of the window; 0 when left out. */
  readonly urgentWindow?: number;
}

export type Dispatch =
  | { readonly outcome: 'dispatched'; readonly next: NextUnit }
  | { readonly outcome: 'idle' }
  | { readonly outcome: 'window'; readonly proofId: string; readonly partition: number }
  | {
      readonly outcome: 'denied';
      readonly proofId: string;
      readonly partition: number;
      readonly status: PoolStatus;
    };

/**
 * Releases the next waiting partition together with its hand-off permit: classes in order, deficit round robin over
 * the tenants of a class (by weight, a partition costs its witness bytes), earliest deadline inside a tenant.
 * `denied` and `window` name the partition that waits first and leave it where it is.
 */
export async function dispatchNext(redis: Redis, limits: DispatchLimits): Promise<Dispatch> {
  const { handoffBytes: capBytes, window, urgentBytes = 0, urgentWindow = 0 } = limits;
  const args = { capBytes, window, urgentBytes, urgentWindow };
  const answer = await runScript<Dispatch>(redis, 'dispatch', args);
  if (answer.outcome !== 'denied') return answer;
  return { ...answer, status: { ...answer.status, holders: asList(answer.status.holders) } };
}

/** Releases all that fits. Returns the released units, in order, and why it stopped. */
export async function dispatchAll(
  redis: Redis,
  limits: DispatchLimits,
): Promise<{ units: readonly NextUnit[]; stopped: Exclude<Dispatch, { outcome: 'dispatched' }> }> {
  const units: NextUnit[] = [];
  for (;;) {
    const step = await dispatchNext(redis, limits);
    if (step.outcome !== 'dispatched') return { units, stopped: step };
    units.push(step.next);
  }
}
