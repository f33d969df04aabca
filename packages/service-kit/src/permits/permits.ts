import type { Redis } from 'ioredis';
import { asList } from '../record/wire.ts';
import { runScript } from '../redis/scripts.ts';

/**
 * Weighted byte leases. A pool never holds more than its cap, except for a single lease that is larger than
 * the cap by itself and is granted while the pool is empty.
 */
export const HANDOFF_POOL = 'handoff';
export const hostPool = (node: string): string => `host:${node}`;

/** A lease of a process lives this long without renewal … */
export const LEASE_TTL_MS = 20_000;
/** … and is renewed this often. */
export const LEASE_RENEW_MS = 5_000;

interface PoolHolder {
  readonly holder: string;
  readonly bytes: number;
  readonly leases: number;
}

export interface PoolStatus {
  readonly pool: string;
  readonly usedBytes: number;
  readonly capBytes: number;
  readonly leases: number;
  readonly granted: number;
  readonly denied: number;
  /** Leases taken back because nobody renewed them. */
  readonly reaped: number;
  readonly holders: readonly PoolHolder[];
}

export interface PermitRequest {
  readonly pool: string;
  /** Names the lease; asking again with the same name renews it. */
  readonly lease: string;
  readonly bytes: number;
  readonly capBytes: number;
  /** Who is shown as the holder. */
  readonly holder: string;
  /** Lifetime without renewal; 0 = until released. */
  readonly ttlMs: number;
}

export interface PermitAnswer {
  readonly granted: boolean;
  /** The pool after the answer: the reason for a denial. */
  readonly status: PoolStatus;
}

const statusOf = (wire: PoolStatus): PoolStatus => ({ ...wire, holders: asList(wire.holders) });

/** Asks for a lease. Throws RangeError when bytes or cap are not positive integers. */
export async function acquirePermit(redis: Redis, request: PermitRequest): Promise<PermitAnswer> {
  for (const name of ['bytes', 'capBytes'] as const) {
    if (!Number.isSafeInteger(request[name]) || request[name] <= 0) {
      throw new RangeError(`${name}: expected a positive integer, got ${request[name]}`);
    }
  }
  const args = { action: 'acquire', ...request };
  const answer = await runScript<PermitAnswer>(redis, 'permit', args);
  return { granted: answer.granted, status: statusOf(answer.status) };
}

/** Prolongs a lease. False: it has run out and its bytes belong to others; stop the work. */
export async function renewPermit(
  redis: Redis,
  pool: string,
  lease: string,
  ttlMs: number = LEASE_TTL_MS,
): Promise<boolean> {
  const args = { action: 'renew', pool, lease, ttlMs };
  return (await runScript<{ held: boolean }>(redis, 'permit', args)).held;
}

/** Gives a lease back. False when it was not held. */
export async function releasePermit(redis: Redis, pool: string, lease: string): Promise<boolean> {
  const args = { action: 'release', pool, lease };
  return (await runScript<{ released: boolean }>(redis, 'permit', args)).released;
}

/** Drops leases that ran out; every acquire does it too. Returns how many. */
export async function reapPermits(redis: Redis, pool: string): Promise<number> {
  return (await runScript<{ reaped: number }>(redis, 'permit', { action: 'reap', pool })).reaped;
}

/** Use, cap, counters and holders of a pool. */
export async function poolStatus(redis: Redis, pool: string): Promise<PoolStatus> {
  const args = { action: 'status', pool };
  return statusOf((await runScript<{ status: PoolStatus }>(redis, 'permit', args)).status);
}
