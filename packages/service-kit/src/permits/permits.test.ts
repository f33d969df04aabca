import fc from 'fast-check';
import type { Redis } from 'ioredis';
import { describe, expect, it } from 'vitest';
import { poolKey } from '../redis/keys.ts';
import { useTestRedis } from '../testing/use-test-redis.ts';
import {
  acquirePermit,
  type PermitAnswer,
  poolStatus,
  reapPermits,
  releasePermit,
  renewPermit,
} from './permits.ts';

const POOL = 'host:test';
const CAP = 100;

let redis: Redis;
useTestRedis((opened) => {
  redis = opened;
});

const acquire = (lease: string, bytes: number, ttlMs = 60_000): Promise<PermitAnswer> =>
  acquirePermit(redis, { pool: POOL, lease, bytes, capBytes: CAP, holder: `by ${lease}`, ttlMs });

/** One atomic look: the counter, the leases and the number of leases. */
async function look(): Promise<{ used: number; sum: number; leases: number }> {
  const rows = await redis
    .multi()
    .hget(poolKey(POOL, 'meta'), 'used')
    .hvals(poolKey(POOL, 'bytes'))
    .exec();
  const [used, values] = (rows ?? []).map(([, value]) => value) as [string | null, string[]];
  return {
    used: Number(used ?? 0),
    sum: values.reduce((total, value) => total + Number(value), 0),
    leases: values.length,
  };
}

async function assertSound(): Promise<void> {
  const { used, sum, leases } = await look();
  expect(used).toBe(sum);
  if (leases > 1) expect(used).toBeLessThanOrEqual(CAP);
}

describe('a pool', () => {
  it('grants what fits, and says who is in the way of what does not', async () => {
    expect((await acquire('a', 60)).granted).toBe(true);
    const denied = await acquire('b', 41);
    expect(denied.granted).toBe(false);
    expect(denied.status).toMatchObject({
      usedBytes: 60,
      capBytes: CAP,
      denied: 1,
      holders: [{ holder: 'by a', bytes: 60, leases: 1 }],
    });
    expect((await acquire('b', 40)).granted).toBe(true);
  });

  it('takes the same lease twice as one', async () => {
    await acquire('a', 60);
    expect((await acquire('a', 60)).status.usedBytes).toBe(60);
    expect(await releasePermit(redis, POOL, 'a')).toBe(true);
    expect(await releasePermit(redis, POOL, 'a')).toBe(false);
    expect((await look()).used).toBe(0);
  });

  it('grants an oversize request when it is empty, and nothing beside it', async () => {
    await acquire('a', 1);
    expect((await acquire('big', 500)).granted).toBe(false);
    await releasePermit(redis, POOL, 'a');
    expect((await acquire('big', 500)).granted).toBe(true);
    expect((await acquire('b', 1)).granted).toBe(false);
  });

  it('takes back what nobody renews, and tells the late holder', async () => {
    await acquire('a', 60, 30);
    await acquire('kept', 10, 30);
    expect(await renewPermit(redis, POOL, 'kept', 60_000)).toBe(true);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect((await acquire('b', 90)).granted).toBe(true);
    expect(await renewPermit(redis, POOL, 'a')).toBe(false);
    expect(await poolStatus(redis, POOL)).toMatchObject({ reaped: 1, usedBytes: 100 });
  });

  it('refuses amounts that are not positive integers', async () => {
    for (const bytes of [0, -1, 1.5, Number.NaN]) {
      await expect(acquire('a', bytes)).rejects.toThrow(RangeError);
    }
  });
});

type Step =
  | {
      readonly do: 'acquire';
      readonly lease: number;
      readonly bytes: number;
      readonly ttlMs: number;
    }
  | { readonly do: 'renew' | 'release' | 'crash'; readonly lease: number };

const LEASES = 6;
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    do: fc.constant('acquire' as const),
    lease: fc.nat(LEASES - 1),
    bytes: fc.oneof(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 90, max: 140 })),
    ttlMs: fc.integer({ min: 1, max: 40 }),
  }),
  fc.record({
    do: fc.constantFrom('renew' as const, 'release' as const, 'crash' as const),
    lease: fc.nat(LEASES - 1),
  }),
);

/** A process with leases of its own; after a crash it comes back with other names and releases nothing. */
async function runProcess(name: string, steps: readonly Step[]): Promise<void> {
  let life = 0;
  for (const { do: action, lease, ...rest } of steps) {
    const id = `${name}.${life}.${lease}`;
    if (action === 'acquire' && 'bytes' in rest) await acquire(id, rest.bytes, rest.ttlMs);
    else if (action === 'renew') await renewPermit(redis, POOL, id, 20);
    else if (action === 'release') await releasePermit(redis, POOL, id);
    else life++;
    await assertSound();
  }
}

describe('a pool under random processes that crash', () => {
  it('never exceeds its cap, never loses count, and returns to zero', {
    timeout: 120_000,
  }, async () => {
    let steps = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(step, { minLength: 5, maxLength: 40 }), { minLength: 2, maxLength: 6 }),
        async (processes) => {
          await redis.flushall();
          await Promise.all(processes.map((own, i) => runProcess(`p${i}`, own)));
          steps += processes.reduce((sum, own) => sum + own.length, 0);
          await new Promise((resolve) => setTimeout(resolve, 45));
          await reapPermits(redis, POOL);
          expect(await look()).toEqual({ used: 0, sum: 0, leases: 0 });
        },
      ),
      { numRuns: 60 },
    );
    expect(steps).toBeGreaterThan(1_000);
  });
});
