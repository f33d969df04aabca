import type { Redis } from 'ioredis';
import { DISPATCH_STOP_KEY } from '../redis/keys.ts';
import type { Dispatch } from './dispatcher.ts';

/** Why the dispatcher stopped last: nothing waits, the window is full, or a permit was denied. */
export type DispatchStop = Exclude<Dispatch, { outcome: 'dispatched' }>;

/** A reason that nobody renews is no reason any more: the dispatcher looks at least every two seconds. */
const KEPT_SECONDS = 10;

/** Keeps it for those who ask why a proof waits. */
export async function keepStop(redis: Redis, stop: DispatchStop): Promise<void> {
  await redis.set(DISPATCH_STOP_KEY, stop.outcome, 'EX', KEPT_SECONDS);
}

/** null when no dispatcher has said anything for a while: none runs. */
export async function readStop(redis: Redis): Promise<DispatchStop['outcome'] | null> {
  return (await redis.get(DISPATCH_STOP_KEY)) as DispatchStop['outcome'] | null;
}
