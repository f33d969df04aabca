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

/** Partitions that one call of Redis releases: others get a turn between two calls. */
const AT_ONCE = 32;

interface Release {
  readonly units: readonly NextUnit[];
  /** null: there may be more to release. */
  readonly stopped: Exclude<Dispatch, { outcome: 'dispatched' }> | null;
}

async function release(
  redis: Redis,
  { handoffBytes: capBytes, window, urgentBytes = 0, urgentWindow = 0 }: DispatchLimits,
  most: number,
): Promise<Release> {
  const args = { capBytes, window, urgentBytes, urgentWindow, most };
  const { next, stopped } = await runScript<{
    readonly next: readonly NextUnit[];
    readonly stopped?: Exclude<Dispatch, { outcome: 'dispatched' }>;
  }>(redis, 'dispatch', args);
  const units = asList(next);
  if (stopped?.outcome !== 'denied') return { units, stopped: stopped ?? null };
  const status = { ...stopped.status, holders: asList(stopped.status.holders) };
  return { units, stopped: { ...stopped, status } };
}

/**
 * Releases the next waiting partition together with its hand-off permit: classes in order, deficit round robin over
 * the tenants of a class (by weight, a partition costs its witness bytes), earliest deadline inside a tenant.
 * `denied` and `window` name the partition that waits first and leave it where it is.
 */
export async function dispatchNext(redis: Redis, limits: DispatchLimits): Promise<Dispatch> {
  const { units, stopped } = await release(redis, limits, 1);
  const [next] = units;
  return next === undefined ? (stopped ?? { outcome: 'idle' }) : { outcome: 'dispatched', next };
}

/** Releases all that fits. Returns the released units, in order, and why it stopped. */
export async function dispatchAll(
  redis: Redis,
  limits: DispatchLimits,
): Promise<{ units: readonly NextUnit[]; stopped: Exclude<Dispatch, { outcome: 'dispatched' }> }> {
  const units: NextUnit[] = [];
  for (;;) {
    const step = await release(redis, limits, AT_ONCE);
    units.push(...step.units);
    if (step.stopped !== null) return { units, stopped: step.stopped };
  }
}
