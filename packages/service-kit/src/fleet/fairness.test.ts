import fc from 'fast-check';
import type { Redis } from 'ioredis';
import { describe, expect, it } from 'vitest';
import { releaseHandoff } from '../record/changes.ts';
import { createOrJoinProof } from '../record/create-proof.ts';
import { cancelRun } from '../record/run-control.ts';
import type { Tenant } from '../record/tenant.ts';
import type { NextUnit } from '../record/types.ts';
import {
  GPU,
  ingested,
  mustClaim,
  newProof,
  synthesized,
  WITNESS_BYTES,
} from '../testing/sample-proof.ts';
import { useTestRedis } from '../testing/use-test-redis.ts';
import { type DispatchLimits, dispatchAll, dispatchNext } from './dispatcher.ts';

let redis: Redis;
useTestRedis((opened) => {
  redis = opened;
});

const tenant = (name: string, weight = 1): Tenant => ({ name, weight, maxLiveProofs: null });
const WIDE: DispatchLimits = { handoffBytes: 1_000_000 * WITNESS_BYTES, window: 1_000_000 };

/** Releases this many partitions; the tenant of each, by the ids that were given. */
async function released(count: number, owners: ReadonlyMap<string, string>): Promise<string[]> {
  const order: string[] = [];
  for (let i = 0; i < count; i++) {
    const step = await dispatchNext(redis, WIDE);
    if (step.outcome !== 'dispatched') break;
    order.push(owners.get(step.next.proofId) ?? '');
  }
  return order;
}
const share = (order: readonly string[], name: string) =>
  order.filter((owner) => owner === name).length / order.length;

async function submitted(name: string, weight: number, proofs: number, partitions: number) {
  const owners = new Map<string, string>();
  for (let i = 0; i < proofs; i++) {
    owners.set(await ingested(redis, partitions, { tenant: tenant(name, weight) }), name);
  }
  return owners;
}

describe('tenants', () => {
  it('take turns: a flood of one does not hold up another', async () => {
    const flood = await submitted('flood', 1, 60, 5);
    const small = await submitted('small', 1, 1, 10);
    const order = await released(20, new Map([...flood, ...small]));
    expect(order.filter((owner) => owner === 'small')).toHaveLength(10);
    // Never more than one turn of the other between two of its partitions.
    expect(order.join(' ')).not.toMatch(/flood flood.*small/);
  });

  it('share by weight, whatever the weights and however large their partitions are', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({
            weight: fc.integer({ min: 1, max: 8 }),
            size: fc.integer({ min: 1, max: 6 }),
          }),
          {
            minLength: 2,
            maxLength: 4,
          },
        ),
        async (tenants) => {
          await redis.flushall();
          const owners = new Map<string, string>();
          for (const [i, { weight, size }] of tenants.entries()) {
            for (const [id, owner] of await submitted(`t${i}`, weight, 8, 99)) {
              owners.set(id, owner);
              await redis.hset(`{cuzk}:proof:${id}`, 'witnessBytes', size * WITNESS_BYTES);
            }
          }
          const order = await released(400, owners);
          const bytes = tenants.map(
            ({ size }, i) => size * order.filter((owner) => owner === `t${i}`).length,
          );
          // As long as everybody has work: the shares of bytes are those of the weights, up to a turn each.
          const total = bytes.reduce((sum, value) => sum + value, 0);
          const weights = tenants.reduce((sum, { weight }) => sum + weight, 0);
          for (const [i, { weight }] of tenants.entries()) {
            const turn = 2 * 6 * Math.max(...tenants.map(({ weight: w }) => w));
            const wanted = (total * weight) / weights;
            const had = bytes[i] ?? 0;
            if (order.filter((owner) => owner === `t${i}`).length < 8 * 99) {
              expect(Math.abs(had - wanted)).toBeLessThanOrEqual(turn * tenants.length);
            }
          }
        },
      ),
      { numRuns: 12, seed: 6 },
    );
  }, 120_000);

  it('save nothing up while they have nothing to do', async () => {
    const first = await submitted('busy', 1, 4, 50);
    await released(100, first);
    const late = await submitted('late', 1, 4, 50);
    const order = await released(40, new Map([...first, ...late]));
    expect(share(order, 'late')).toBeCloseTo(0.5, 1);
  });

  it('have an end to what they may have under way', async () => {
    const limited: Tenant = { name: 'small', weight: 1, maxLiveProofs: 2 };
    const submit = (changes = {}) =>
      createOrJoinProof(redis, newProof({ tenant: limited, ...changes }));
    const first = await submit();
    const contentKey = 'the same';
    await submit({ contentKey });
    await expect(submit()).rejects.toMatchObject({ code: 'QUOTA_EXCEEDED' });
    // Joining makes no new proof; others have limits of their own.
    expect((await submit({ contentKey })).joined).toBe(true);
    expect((await createOrJoinProof(redis, newProof({ tenant: tenant('other') }))).joined).toBe(
      false,
    );
    await cancelRun(redis, first.proofId, 'cancelled');
    expect((await submit()).joined).toBe(false);
  });

  it('do not join the proofs of others', async () => {
    const contentKey = 'the same';
    const a = await createOrJoinProof(redis, newProof({ contentKey, tenant: tenant('a') }));
    const b = await createOrJoinProof(redis, newProof({ contentKey, tenant: tenant('b') }));
    expect(b.joined).toBe(false);
    const again = await createOrJoinProof(redis, newProof({ contentKey, tenant: tenant('a') }));
    expect(again.proofId).toBe(a.proofId);
  });
});

describe('classes', () => {
  it('go one after the other, between the partitions of a proof', async () => {
    const names = new Map([[await ingested(redis, 5), 'normal']]);
    expect(await released(2, names)).toEqual(['normal', 'normal']);
    names.set(await ingested(redis, 2, { priority: 'low' }), 'low');
    names.set(await ingested(redis, 2, { priority: 'high' }), 'high');
    names.set(await ingested(redis, 2, { priority: 'critical' }), 'critical');
    expect(await released(20, names)).toEqual([
      ...['critical', 'critical', 'high', 'high'],
      ...['normal', 'normal', 'normal', 'low', 'low'],
    ]);
  });

  it('find room that ordinary work cannot take', async () => {
    const limits = { handoffBytes: 4 * WITNESS_BYTES, window: 100, urgentBytes: WITNESS_BYTES };
    await ingested(redis, 10);
    expect((await dispatchAll(redis, limits)).units).toHaveLength(3);
    const urgent = await ingested(redis, 3, { priority: 'critical' });
    const { units, stopped } = await dispatchAll(redis, limits);
    expect(units.map(({ proofId }) => proofId)).toEqual([urgent]);
    expect(stopped).toMatchObject({ outcome: 'denied', proofId: urgent, partition: 1 });
  });

  it('have places in the window on top of it', async () => {
    const limits = { ...WIDE, window: 2, urgentWindow: 2 };
    await ingested(redis, 10);
    expect((await dispatchAll(redis, limits)).units).toHaveLength(2);
    await ingested(redis, 10, { priority: 'high' });
    expect((await dispatchAll(redis, limits)).units).toHaveLength(2);
  });

  it('are not overtaken by what would fit: the urgent one that waits comes first when room is made', async () => {
    const limits = { handoffBytes: 2 * WITNESS_BYTES, window: 100 };
    await ingested(redis, 10);
    const [first] = (await dispatchAll(redis, limits)).units;
    const urgent = await ingested(redis, 1, { priority: 'critical' });
    expect((await dispatchAll(redis, limits)).units).toEqual([]);
    const claim = await mustClaim(redis, await synthesized(redis, first as NextUnit), GPU);
    await releaseHandoff(redis, claim.fence);
    const { units } = await dispatchAll(redis, limits);
    expect(units.map(({ proofId }) => proofId)).toEqual([urgent]);
    expect(units[0]?.jobPriority).toBeLessThan(first?.jobPriority ?? 0);
  });
});
