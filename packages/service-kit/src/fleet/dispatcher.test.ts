import type { Redis } from 'ioredis';
import { describe, expect, it } from 'vitest';
import { poolStatus } from '../permits/permits.ts';
import { releaseHandoff } from '../record/changes.ts';
import { readProof } from '../record/read-proof.ts';
import { cancelRun } from '../record/run-control.ts';
import type { NextUnit, ProofRecord } from '../record/types.ts';
import { whyWaiting } from '../record/why-waiting.ts';
import { GPU, ingested, mustClaim, synthesized, WITNESS_BYTES } from '../testing/sample-proof.ts';
import { useTestRedis } from '../testing/use-test-redis.ts';
import { dispatchAll, dispatchNext } from './dispatcher.ts';
import { reconcile } from './reconciler.ts';

let redis: Redis;
useTestRedis((opened) => {
  redis = opened;
});

const WIDE = { handoffBytes: 1000 * WITNESS_BYTES, window: 1000 };
const order = (units: readonly NextUnit[], names: Record<string, string>): string[] =>
  units.map((unit) => `${names[unit.proofId]}${unit.partition}`);

describe('dispatch', () => {
  it('releases by priority, then deadline, then order of arrival, partitions in order', async () => {
    const soon = Date.now() + 60_000;
    const names = {
      [await ingested(redis, 2)]: 'old',
      [await ingested(redis, 2)]: 'new',
      [await ingested(redis, 1, { priority: 'low' })]: 'low',
      [await ingested(redis, 1, { priority: 'high' })]: 'high',
      [await ingested(redis, 1, { deadlineAt: soon })]: 'soon',
    };
    const { units } = await dispatchAll(redis, WIDE);
    expect(order(units, names)).toEqual(['high0', 'soon0', 'old0', 'old1', 'new0', 'new1', 'low0']);
    const priorities = units.map((unit) => unit.jobPriority);
    expect(Math.min(...priorities)).toBeGreaterThanOrEqual(1);
    expect(Math.max(...priorities)).toBeLessThanOrEqual(2_097_151);
    const [high, low] = [priorities[0] as number, priorities.at(-1) as number];
    expect(high).toBeLessThan(low);
  });

  it('stops at the cap of the hand-off pool and goes on when an upload frees a permit', async () => {
    const id = await ingested(redis, 3);
    const limits = { handoffBytes: 2 * WITNESS_BYTES, window: 1000 };
    const first = await dispatchAll(redis, limits);
    expect(first.units).toHaveLength(2);
    expect(first.stopped).toMatchObject({ outcome: 'denied', proofId: id, partition: 2 });

    const claim = await mustClaim(redis, await synthesized(redis, first.units[0] as NextUnit), GPU);
    expect((await dispatchAll(redis, limits)).units).toEqual([]);
    await releaseHandoff(redis, claim.fence);
    await releaseHandoff(redis, claim.fence);
    const next = await dispatchAll(redis, limits);
    expect(next.units.map((unit) => unit.partition)).toEqual([2]);
    expect((await poolStatus(redis, 'handoff')).usedBytes).toBe(2 * WITNESS_BYTES);
  });

  it('never lets a later partition overtake the first one that does not fit', async () => {
    await ingested(redis, 1);
    const limits = { handoffBytes: WITNESS_BYTES, window: 1000 };
    await dispatchAll(redis, limits);
    const big = await ingested(redis, 1);
    await redis.hset(`{cuzk}:proof:${big}`, 'witnessBytes', 5 * WITNESS_BYTES);
    await ingested(redis, 1);
    expect(await dispatchNext(redis, { ...limits, handoffBytes: 3 * WITNESS_BYTES })).toMatchObject(
      {
        outcome: 'denied',
        proofId: big,
      },
    );
  });

  it('grants a partition above the cap when the pool is empty', async () => {
    await ingested(redis, 2);
    const { units } = await dispatchAll(redis, { handoffBytes: 1, window: 1000 });
    expect(units).toHaveLength(1);
  });

  it('keeps only a window in the queues', async () => {
    const id = await ingested(redis, 5);
    const { units, stopped } = await dispatchAll(redis, { ...WIDE, window: 2 });
    expect(units).toHaveLength(2);
    expect(stopped).toEqual({ outcome: 'window', proofId: id, partition: 2 });
  });

  it('takes the earliest deadline first, and one in centuries after those of today', async () => {
    const now = Date.now();
    const deadlines = [Date.parse('2300-01-01T00:00:00Z'), now + 2e6, null, now + 1e6];
    const ids: string[] = [];
    for (const deadlineAt of deadlines) ids.push(await ingested(redis, 1, { deadlineAt }));
    const { units } = await dispatchAll(redis, WIDE);
    expect(units.map((unit) => ids.indexOf(unit.proofId))).toEqual([3, 1, 0, 2]);
  });

  it('skips what was cancelled', async () => {
    const gone = await ingested(redis, 2);
    const id = await ingested(redis, 1);
    await cancelRun(redis, gone, 'cancelled');
    const { units } = await dispatchAll(redis, WIDE);
    expect(units.map((unit) => unit.proofId)).toEqual([id]);
  });

  it('is told to the waiting: position and the permit pool', async () => {
    const first = await ingested(redis, 2);
    const second = await ingested(redis, 1);
    await dispatchAll(redis, { handoffBytes: WITNESS_BYTES, window: 1000 });
    const workers = (['synth-worker', 'gpu-worker'] as const).map((role) => ({
      owner: role,
      name: role,
      role,
      node: 'a',
      seenAt: 0,
      silent: false,
      facts: { ready: true, status: 'ready', circuits: ['circuit'] },
      levels: null,
      holds: [],
    }));
    const why = async (id: string) =>
      whyWaiting(redis, (await readProof(redis, id)) as ProofRecord, workers);
    expect(await why(second)).toMatchObject({ position: 1 });
    expect((await why(second)).reason).toContain(`by ${first} (1 partitions)`);
    const nobody = await whyWaiting(redis, (await readProof(redis, second)) as ProofRecord, []);
    expect(nobody.reason).toBe('No synth-worker is running.');
    const noGpu = await whyWaiting(
      redis,
      (await readProof(redis, second)) as ProofRecord,
      workers.slice(0, 1),
    );
    expect(noGpu.reason).toBe('No gpu-worker is running.');
  });
});

describe('reconcile', () => {
  it('names waiting units of every live proof, ends late ones, judges silence only when asked to', async () => {
    const id = await ingested(redis, 2);
    const late = await ingested(redis, 1, { deadlineAt: Date.now() - 1 });
    const { units } = await dispatchAll(redis, WIDE);
    const mine = units.filter((unit) => unit.proofId === id);
    await mustClaim(redis, mine[0] as NextUnit, GPU);
    await new Promise((resolve) => setTimeout(resolve, 20));

    const quiet = await reconcile(redis, { silentMs: 10, judgeSilence: false });
    expect(quiet).toEqual({ units: [mine[1]], lost: [], expired: [late] });
    expect((await readProof(redis, late))?.state).toBe('expired');

    const judged = await reconcile(redis, { silentMs: 10, judgeSilence: true });
    expect(judged.lost).toHaveLength(1);
    expect(judged.units).toEqual([{ ...mine[0], attempt: 2 }, mine[1]]);
  });

  it('finds no hand-off permit without a partition that needs it, and drops one that was planted', async () => {
    await ingested(redis, 2);
    await dispatchAll(redis, WIDE);
    await redis.hset('{cuzk}:pool:handoff:bytes', 'prf_gone.r1.0', 77);
    await redis.hincrby('{cuzk}:pool:handoff:meta', 'used', 77);
    await reconcile(redis, { judgeSilence: false });
    expect(await poolStatus(redis, 'handoff')).toMatchObject({
      usedBytes: 2 * WITNESS_BYTES,
      leases: 2,
      reaped: 1,
    });
  });
});
