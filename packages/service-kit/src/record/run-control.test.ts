import type { Redis } from 'ioredis';
import { describe, expect, it } from 'vitest';
import { createLogger } from '../logger.ts';
import { Presence } from '../presence/presence.ts';
import { dispatched, states, terminalEvents, usedBytes } from '../testing/record-views.ts';
import {
  artifact,
  GPU,
  ingested,
  mustClaim,
  newProof,
  only,
  SYNTH,
  synthesized,
} from '../testing/sample-proof.ts';
import { useTestRedis } from '../testing/use-test-redis.ts';
import { submitWitness } from './changes.ts';
import { claimUnit } from './claim.ts';
import { createOrJoinProof } from './create-proof.ts';
import { readProof } from './read-proof.ts';
import { cancelRun, forgetProof, requeueSilentOwners, waitingUnits } from './run-control.ts';
import type { NextUnit } from './types.ts';

let redis: Redis;
useTestRedis((opened) => {
  redis = opened;
});

describe('cancel', () => {
  it('ends at once when nobody works on the proof', async () => {
    const id = await ingested(redis, 2);
    await dispatched(redis);
    expect(await cancelRun(redis, id, 'cancelled')).toEqual({
      found: true,
      state: 'cancelled',
      changed: true,
    });
    expect(await states(redis, id)).toEqual(['cancelled', 'cancelled', 'cancelled']);
    expect(await usedBytes(redis)).toBe(0);
    expect(await redis.zcard('{cuzk}:pending')).toBe(0);
  });

  it('waits for running work to let go, and takes no result from it', async () => {
    const id = await ingested(redis, 2);
    const [a, b] = await dispatched(redis);
    const claim = await mustClaim(redis, a as NextUnit, SYNTH);
    expect((await cancelRun(redis, id, 'cancelled')).state).toBe('cancelling');
    expect(await claimUnit(redis, b as NextUnit, GPU)).toEqual({
      refused: 'cancelled',
      later: false,
    });
    const late = await submitWitness(redis, claim.fence, artifact('w'), []);
    expect([late.accepted, late.reason]).toEqual([false, 'cancelled']);
    expect(await states(redis, id)).toEqual(['cancelled', 'cancelled', 'cancelled']);
    expect(await terminalEvents(redis, id)).toHaveLength(1);
    expect(await usedBytes(redis)).toBe(0);
  });

  it('does not wait for an owner that is dead', async () => {
    const id = await ingested(redis, 1);
    await mustClaim(redis, only(await dispatched(redis)), SYNTH);
    await cancelRun(redis, id, 'cancelled');
    await new Promise((resolve) => setTimeout(resolve, 20));
    await requeueSilentOwners(redis, id, 10);
    expect(await states(redis, id)).toEqual(['cancelled', 'cancelled']);
  });

  it('says so for an unknown and for an ended proof', async () => {
    expect(await cancelRun(redis, 'prf_none', 'cancelled')).toMatchObject({ found: false });
    const id = await ingested(redis, 1);
    await cancelRun(redis, id, 'expired');
    expect(await cancelRun(redis, id, 'cancelled')).toEqual({
      found: true,
      state: 'expired',
      changed: false,
    });
  });
});

describe('silent owners', () => {
  const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

  it('lose their unit, which waits again with a new attempt', async () => {
    const id = await ingested(redis, 1);
    const claim = await mustClaim(redis, only(await dispatched(redis)), SYNTH);
    expect((await requeueSilentOwners(redis, id, 60_000)).next).toEqual([]);
    await pause(20);
    const { next, lost } = await requeueSilentOwners(redis, id, 10);
    expect(lost).toEqual([{ stage: 'synthesize', owner: SYNTH.owner, partition: 0 }]);
    expect(only(next).attempt).toBe(2);
    expect((await submitWitness(redis, claim.fence, artifact('late'), [])).accepted).toBe(false);
    expect((await readProof(redis, id))?.partitions[0]).toMatchObject({
      state: 'queued',
      losses: 1,
      failures: { synthesize: 0 },
    });
  });

  it('keep what they list, and lose what they do not know of', async () => {
    const id = await ingested(redis, 2);
    const [a, b] = await dispatched(redis);
    await mustClaim(redis, a as NextUnit, SYNTH);
    await mustClaim(redis, b as NextUnit, SYNTH);
    const presence = new Presence(redis, SYNTH, createLogger('test', 'silent'));
    presence.hold(`${id}.r1.synthesize.00.a1`);
    await pause(60);
    await presence.refresh();
    const { lost } = await requeueSilentOwners(redis, id, 50);
    expect(lost.map((unit) => unit.partition)).toEqual([1]);
    await presence.leave();
  });

  it('fail the proof when one unit has cost five workers', async () => {
    const id = await ingested(redis, 1);
    let unit = only(await dispatched(redis));
    for (let i = 0; i < 5; i++) {
      await mustClaim(redis, unit, SYNTH);
      await pause(3);
      const { next } = await requeueSilentOwners(redis, id, 1);
      if (i < 4) unit = only(next);
      else expect(next).toEqual([]);
    }
    const proof = await readProof(redis, id);
    expect([proof?.state, proof?.problem?.code]).toEqual(['failed', 'WORKER_LOST']);
  });
});

describe('what waits', () => {
  it('is named for every stage, so that lost jobs can be added again', async () => {
    const created = await createOrJoinProof(redis, newProof());
    expect((await waitingUnits(redis, created.proofId)).next).toEqual(created.next);
    const id = await ingested(redis, 2);
    expect((await waitingUnits(redis, id)).next).toEqual([]);
    const units = await dispatched(redis);
    expect((await waitingUnits(redis, id)).next).toEqual(units);
    const prove = await synthesized(redis, units[0] as NextUnit);
    expect((await waitingUnits(redis, id)).next).toEqual([prove, units[1]]);
  });

  it('expires at its deadline', async () => {
    const id = await ingested(redis, 1, { deadlineAt: Date.now() - 1 });
    expect((await waitingUnits(redis, id)).expired).toBe(true);
    expect((await waitingUnits(redis, await ingested(redis, 1))).expired).toBe(false);
    await cancelRun(redis, id, 'expired');
    const proof = await readProof(redis, id);
    expect([proof?.state, proof?.problem?.code]).toEqual(['expired', 'DEADLINE_EXCEEDED']);
  });

  it('is forgotten only when it has ended', async () => {
    const id = await ingested(redis, 1);
    expect(await forgetProof(redis, id)).toBe(false);
    await cancelRun(redis, id, 'cancelled');
    expect(await forgetProof(redis, id)).toBe(true);
    const left = (await redis.keys('*')).filter(
      (key) => !/:(sequence|pool:.*|ended-counts)$/.test(key),
    );
    expect(left).toEqual([]);
  });
});
