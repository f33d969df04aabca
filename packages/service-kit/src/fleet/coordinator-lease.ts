import type { Redis } from 'ioredis';
import { runScript } from '../redis/scripts.ts';

/** Without renewal a lease is free again after this; renewal happens at every two-second tick. */
const LEASE_MS = 10_000;

/** Takes or renews a named lease. False while another process holds it. */
export async function holdLease(redis: Redis, name: string, owner: string): Promise<boolean> {
  const args = { action: 'hold', name, owner, ttlMs: LEASE_MS };
  return (await runScript<{ held: boolean }>(redis, 'lease', args)).held;
}

/** Gives a lease up, so that the next holder need not wait for it to run out. */
export async function leaveLease(redis: Redis, name: string, owner: string): Promise<void> {
  await runScript(redis, 'lease', { action: 'leave', name, owner, ttlMs: LEASE_MS });
}
