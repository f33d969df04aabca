import type { Redis } from 'ioredis';
import { SUSPECTS_KEY } from '../redis/keys.ts';

/** Whether a worker is quarantined, and the code of what it did; null when it is not. */
export function suspicionOf(redis: Redis, worker: string): Promise<string | null> {
  return redis.hget(SUSPECTS_KEY, worker);
}

/** Ends a quarantine: for the worker itself, after its device has passed its self-test. */
export async function clearSuspicion(redis: Redis, worker: string): Promise<boolean> {
  return (await redis.hdel(SUSPECTS_KEY, worker)) > 0;
}
