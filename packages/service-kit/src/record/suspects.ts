import type { Redis } from 'ioredis';
import { SUSPECTS_KEY } from '../redis/keys.ts';

/** Ends a quarantine: for the worker itself, after its device has passed its self-test. */
export async function clearSuspicion(redis: Redis, worker: string): Promise<boolean> {
  return (await redis.hdel(SUSPECTS_KEY, worker)) > 0;
}
