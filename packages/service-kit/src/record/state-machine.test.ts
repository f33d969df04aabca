import { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { dispatchAll } from '../fleet/dispatcher.ts';
import { createLogger } from '../logger.ts';
import { poolStatus } from '../permits/permits.ts';
import { Presence } from '../presence/presence.ts';
import { TestRedis } from '../testing/redis-server.ts';
import {
  artifact,
  GPU,
  GPU_2,
  ingested,
  mustClaim,
  newProof,
  only,
  proved,
  SYNTH,
  synthesized,
  WITNESS_BYTES,
} from '../testing/sample-proof.ts';
import {
  failUnit,
  handBackUnit,
  refuseC1,
  rejectPartitions,
  releaseHandoff,
  submitPartitionProof,
  submitResult,
  submitWitness,
} from './changes.ts';
import { claimUnit } from './claim.ts';
import { createOrJoinProof } from './create-proof.ts';
import { readEvents } from './read-events.ts';
import { readProof } from './read-proof.ts';
import { cancelRun, forgetProof, requeueSilentOwners, waitingUnits } from './run-control.ts';
import { clearSuspicion } from './suspects.ts';
import type { NextUnit, Problem } from './types.ts';

let server: TestRedis;
let redis: Redis;

beforeAll(async () => {
  server = await TestRedis.start();
  redis = new Redis(server.url);
});
afterAll(async () => {
  redis.disconnect();
  await server.stop();
});
beforeEach(async () => {
  await redis.flushall();
});

const LIMITS = { handoffBytes: 100 * WITNESS_BYTES, window: 100 };
const PROBLEM: Problem = { code: 'GPU_DEVICE_LOST', message: 'gone' };
const failure = (changes = {}) => ({
  problem: PROBLEM,
  retryable: true,
  maxFailures: 3,
  worker: GPU.name,
  excludeMs: 0,
  ...changes,
});
const dispatched = async () => (await dispatchAll(redis, LIMITS)).units;
const states = async (id: string) => {
  const proof = await readProof(redis, id);
  return [proof?.state, ...(proof?.partitions.map((p) => p.state) ?? [])];
};
const usedBytes = async () => (await poolStatus(redis, 'handoff')).usedBytes;
const terminalEvents = async (id: string) =>
  (await readEvents(redis, id, null, 1000)).filter(
    (event) =>
      event.type === 'state' &&
      ['succeeded', 'failed', 'cancelled', 'expired'].includes(String(event.data.state)),
  );

describe('the way of a proof', () => {
  it('goes from received to succeeded, partition by partition', async () => {
    const id = await ingested(redis, 2);
    expect(await states(id)).toEqual(['queued', 'pending', 'pending']);

    const units = await dispatched();
    expect(units.map((unit) => [unit.stage, unit.partition, unit.attempt])).toEqual([
      ['synthesize', 0, 1],
      ['synthesize', 1, 1],
    ]);
    expect(await states(id)).toEqual(['queued', 'queued', 'queued']);
    expect(await usedBytes()).toBe(2 * WITNESS_BYTES);

    const first = await synthesized(redis, units[0] as NextUnit);
    expect(await states(id)).toEqual(['running', 'synthesized', 'queued']);
    const second = await synthesized(redis, units[1] as NextUnit);
    expect((await proved(redis, first)).next).toEqual([]);
    const last = await proved(redis, second);
    expect(await states(id)).toEqual(['finalizing', 'proved', 'proved']);
    expect(await usedBytes()).toBe(0);

    const claim = await mustClaim(redis, only(last.next), SYNTH);
    if (claim.stage !== 'finalize') throw new Error('expected a finalize claim');
    expect(claim.partitions.map((p) => [p.partition, p.proof.length, p.proof[0]])).toEqual([
      [0, 192, 0],
      [1, 192, 1],
    ]);
    expect(claim.parameters).toBe('insecure-development');
    await submitResult(redis, claim.fence, artifact('result', 384), 'insecure-development');
    expect(await states(id)).toEqual(['succeeded', 'proved', 'proved']);
    expect(await terminalEvents(id)).toHaveLength(1);
    expect((await readProof(redis, id))?.result).toEqual(artifact('result', 384));
  });

  it('ends as failed with the problem when ingest refuses the C1', async () => {
    const created = await createOrJoinProof(redis, newProof());
    const claim = await mustClaim(redis, only(created.next), SYNTH);
    const problem: Problem = { code: 'C1_MALFORMED', message: 'bad', pointer: '/seed' };
    expect((await refuseC1(redis, claim.fence, problem)).accepted).toBe(true);
    const proof = await readProof(redis, created.proofId);
    expect([proof?.state, proof?.problem]).toEqual(['failed', problem]);
    expect(await dispatched()).toEqual([]);
  });

  it('tells every change as an event, in order', async () => {
    const id = await ingested(redis, 1);
    await synthesized(redis, only(await dispatched()));
    const events = await readEvents(redis, id, null);
    const told = events.map(({ type, data }) => `${type}:${data.state ?? data.stage}`);
    expect(told).toEqual([
      'state:received',
      'claimed:ingest',
      'state:queued',
      'partition:pending',
      'partition:queued',
      'partition:synthesizing',
      'state:running',
      'partition:synthesized',
    ]);
    const resumed = await readEvents(redis, id, events[4]?.id ?? null);
    expect(resumed.map((event) => event.id)).toEqual(events.slice(5).map((event) => event.id));
  });
});

describe('joining by content', () => {
  it('joins a live proof and a succeeded one', async () => {
    const proof = newProof();
    await createOrJoinProof(redis, proof);
    const again = await createOrJoinProof(redis, { ...newProof(), contentKey: proof.contentKey });
    expect([again.joined, again.proofId, again.next]).toEqual([true, proof.proofId, []]);
  });

  it('is not what the same call does when it comes again because its answer was lost', async () => {
    const proof = newProof({ idempotencyKey: 'key' });
    const first = await createOrJoinProof(redis, proof);
    expect(await createOrJoinProof(redis, proof)).toEqual(first);
    await mustClaim(redis, only(first.next), SYNTH);
    expect(await createOrJoinProof(redis, proof)).toEqual({ ...first, next: [] });
  });

  it('makes a new proof after a failed or cancelled one', async () => {
    for (const end of ['fail', 'cancel']) {
      const proof = newProof();
      const created = await createOrJoinProof(redis, proof);
      if (end === 'cancel') await cancelRun(redis, proof.proofId, 'cancelled');
      else {
        const claim = await mustClaim(redis, only(created.next), SYNTH);
        await refuseC1(redis, claim.fence, PROBLEM);
      }
      const again = await createOrJoinProof(redis, { ...newProof(), contentKey: proof.contentKey });
      expect(again.joined).toBe(false);
    }
  });
});

describe('fences', () => {
  it('hands a unit to one worker only', async () => {
    await ingested(redis, 1);
    const unit = only(await dispatched());
    const answers = await Promise.all(
      [SYNTH, GPU, GPU_2].map((worker) => claimUnit(redis, unit, worker)),
    );
    expect(answers.filter((answer) => !('refused' in answer))).toHaveLength(1);
    expect(
      answers.filter((answer) => 'refused' in answer && answer.refused === 'busy'),
    ).toHaveLength(2);
  });

  it('answers a repeated claim of the same owner as before', async () => {
    await ingested(redis, 1);
    const unit = only(await dispatched());
    const first = await mustClaim(redis, unit, SYNTH);
    const again = await mustClaim(redis, unit, SYNTH);
    expect(again.fence).toEqual(first.fence);
    expect(
      (await readEvents(redis, unit.proofId, null)).filter((e) => e.data.state === 'synthesizing'),
    ).toHaveLength(1);
  });

  it('refuses a job of an attempt that has passed', async () => {
    await ingested(redis, 1);
    const unit = only(await dispatched());
    const claim = await mustClaim(redis, unit, SYNTH);
    await handBackUnit(redis, claim.fence, 'drain');
    expect(await claimUnit(redis, unit, GPU)).toEqual({ refused: 'stale', later: false });
  });

  it('changes nothing for a late twin, whatever it submits', async () => {
    const id = await ingested(redis, 1);
    const prove = await synthesized(redis, only(await dispatched()));
    const late = await mustClaim(redis, prove, GPU);
    const { next } = await handBackUnit(redis, late.fence, 'drain');
    const current = await mustClaim(redis, only(next), GPU_2);
    const before = await redis.hgetall(`{cuzk}:proof:${id}`);

    const proof = {
      proof: new Uint8Array(192),
      parameters: 'production',
      worker: 'x',
      phases: [],
    } as const;
    const answers = [
      await submitPartitionProof(redis, late.fence, proof),
      await failUnit(redis, late.fence, failure({ retryable: false })),
      await handBackUnit(redis, late.fence, 'drain'),
      await releaseHandoff(redis, late.fence),
      await submitWitness(redis, { ...late.fence, stage: 'synthesize' }, artifact('other'), []),
      await submitPartitionProof(redis, { ...current.fence, attempt: 1 }, proof),
      await submitPartitionProof(redis, { ...current.fence, run: 2 }, proof),
      await submitPartitionProof(redis, { ...current.fence, owner: late.fence.owner }, proof),
    ];
    expect(answers.map((answer) => answer.accepted)).toEqual(answers.map(() => false));
    expect(await redis.hgetall(`{cuzk}:proof:${id}`)).toEqual(before);
    expect(await usedBytes()).toBe(WITNESS_BYTES);

    expect((await submitPartitionProof(redis, current.fence, proof)).accepted).toBe(true);
    expect((await submitPartitionProof(redis, current.fence, proof)).accepted).toBe(false);
    expect(await states(id)).toEqual(['finalizing', 'proved']);
  });

  it('ends a run once, whatever comes after', async () => {
    const id = await ingested(redis, 2);
    const [a, b] = await dispatched();
    const claimA = await mustClaim(redis, a as NextUnit, SYNTH);
    const claimB = await mustClaim(redis, b as NextUnit, GPU);
    await failUnit(redis, claimA.fence, failure({ retryable: false }));
    expect(await states(id)).toEqual(['failed', 'failed', 'cancelled']);
    const late = await submitWitness(redis, claimB.fence, artifact('w'), []);
    expect([late.accepted, late.reason]).toEqual([false, 'ended']);
    await failUnit(redis, claimB.fence, failure());
    expect((await cancelRun(redis, id, 'cancelled')).changed).toBe(false);
    expect(await terminalEvents(id)).toHaveLength(1);
    expect(await usedBytes()).toBe(0);
  });
});

describe('failures', () => {
  it('repeats an attempt until its failures are used up, hand-backs not counted', async () => {
    const id = await ingested(redis, 1);
    let unit = only(await dispatched());
    for (const attempt of [1, 2]) {
      const claim = await mustClaim(redis, unit, SYNTH);
      expect(claim.fence.attempt).toBe(2 * attempt - 1);
      const back = await handBackUnit(redis, claim.fence, 'drain');
      const again = await mustClaim(redis, only(back.next), SYNTH);
      expect(again.failures).toBe(attempt - 1);
      unit = only((await failUnit(redis, again.fence, failure())).next);
    }
    const last = await mustClaim(redis, unit, SYNTH);
    expect((await failUnit(redis, last.fence, failure())).next).toEqual([]);
    const proof = await readProof(redis, id);
    expect([proof?.state, proof?.partitions[0]?.state]).toEqual(['failed', 'failed']);
    expect(proof?.problem).toEqual(PROBLEM);
  });

  it('shows no error on a proof whose ingest failed and passed later', async () => {
    const created = await createOrJoinProof(redis, newProof());
    const claim = await mustClaim(redis, only(created.next), SYNTH);
    const { next } = await failUnit(redis, claim.fence, failure());
    expect(only(next)).toMatchObject({ stage: 'ingest', attempt: 2 });
    expect((await readProof(redis, created.proofId))?.problem).toBeNull();
  });

  it('makes a damaged witness again instead of failing the proof', async () => {
    const id = await ingested(redis, 1);
    const prove = await synthesized(redis, only(await dispatched()));
    const claim = await mustClaim(redis, prove, GPU);
    const problem: Problem = { code: 'ARTIFACT_DIGEST_MISMATCH', message: 'damaged' };
    const { next } = await failUnit(redis, claim.fence, failure({ problem }));
    expect([only(next).stage, only(next).attempt]).toEqual(['synthesize', 2]);
    expect(await states(id)).toEqual(['running', 'queued']);
    expect(await usedBytes()).toBe(WITNESS_BYTES);
    const again = await synthesized(redis, only(next));
    expect((await proved(redis, again)).accepted).toBe(true);
  });

  it('waits for dispatch again when the permit was already given back', async () => {
    const id = await ingested(redis, 1);
    const claim = await mustClaim(redis, await synthesized(redis, only(await dispatched())), GPU);
    await releaseHandoff(redis, claim.fence);
    expect(await usedBytes()).toBe(0);
    const problem: Problem = { code: 'ARTIFACT_MISSING', message: 'gone' };
    expect((await failUnit(redis, claim.fence, failure({ problem }))).next).toEqual([]);
    expect(await states(id)).toEqual(['running', 'pending']);
    expect(only(await dispatched()).stage).toBe('synthesize');
  });

  it('keeps a partition from the GPU that failed it while another one can prove it', async () => {
    await ingested(redis, 1);
    const prove = await synthesized(redis, only(await dispatched()));
    const claim = await mustClaim(redis, prove, GPU);
    const failed = await failUnit(redis, claim.fence, failure({ excludeMs: 60_000 }));
    const unit = only(failed.next);
    const other = new Presence(redis, GPU_2, createLogger('test', 'silent'));
    await other.publish({ ready: true, status: 'ready', circuits: ['circuit'] });
    expect(await claimUnit(redis, unit, GPU)).toEqual({ refused: 'suspect', later: true });
    expect(await clearSuspicion(redis, GPU.name)).toBe(true);
    expect(await claimUnit(redis, unit, GPU)).toEqual({ refused: 'excluded', later: true });
    await other.leave();
    expect('fence' in (await claimUnit(redis, unit, GPU))).toBe(true);
  });

  it('leaves a circuit to workers that have its parameters', async () => {
    await ingested(redis, 1);
    const prove = await synthesized(redis, only(await dispatched()));
    expect(await claimUnit(redis, prove, GPU, ['other'])).toEqual({
      refused: 'circuit',
      later: true,
    });
    expect('fence' in (await claimUnit(redis, prove, GPU, ['other', 'circuit']))).toBe(true);
  });

  it('re-proves alone a partition that finalize rejects', async () => {
    const id = await ingested(redis, 2);
    const units = await dispatched();
    let last: Awaited<ReturnType<typeof proved>> | undefined;
    for (const unit of units) last = await proved(redis, await synthesized(redis, unit));
    const finalize = await mustClaim(redis, only(last?.next ?? []), SYNTH);
    const problem: Problem = { code: 'PROOF_SELF_CHECK_FAILED', message: 'no' };
    const rejection = { partitions: [1], problem, maxFailures: 3, excludeMs: 60_000 };
    await rejectPartitions(redis, finalize.fence, rejection);
    expect(await states(id)).toEqual(['running', 'proved', 'pending']);
    const again = only(await dispatched());
    expect([again.stage, again.partition, again.attempt]).toEqual(['synthesize', 1, 2]);
    const finalAgain = await proved(redis, await synthesized(redis, again), GPU_2);
    expect(only(finalAgain.next)).toMatchObject({ stage: 'finalize', attempt: 2 });
  });
});

describe('cancel', () => {
  it('ends at once when nobody works on the proof', async () => {
    const id = await ingested(redis, 2);
    await dispatched();
    expect(await cancelRun(redis, id, 'cancelled')).toEqual({
      found: true,
      state: 'cancelled',
      changed: true,
    });
    expect(await states(id)).toEqual(['cancelled', 'cancelled', 'cancelled']);
    expect(await usedBytes()).toBe(0);
    expect(await redis.zcard('{cuzk}:pending')).toBe(0);
  });

  it('waits for running work to let go, and takes no result from it', async () => {
    const id = await ingested(redis, 2);
    const [a, b] = await dispatched();
    const claim = await mustClaim(redis, a as NextUnit, SYNTH);
    expect((await cancelRun(redis, id, 'cancelled')).state).toBe('cancelling');
    expect(await claimUnit(redis, b as NextUnit, GPU)).toEqual({
      refused: 'cancelled',
      later: false,
    });
    const late = await submitWitness(redis, claim.fence, artifact('w'), []);
    expect([late.accepted, late.reason]).toEqual([false, 'cancelled']);
    expect(await states(id)).toEqual(['cancelled', 'cancelled', 'cancelled']);
    expect(await terminalEvents(id)).toHaveLength(1);
    expect(await usedBytes()).toBe(0);
  });

  it('does not wait for an owner that is dead', async () => {
    const id = await ingested(redis, 1);
    await mustClaim(redis, only(await dispatched()), SYNTH);
    await cancelRun(redis, id, 'cancelled');
    await new Promise((resolve) => setTimeout(resolve, 20));
    await requeueSilentOwners(redis, id, 10);
    expect(await states(id)).toEqual(['cancelled', 'cancelled']);
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
    const claim = await mustClaim(redis, only(await dispatched()), SYNTH);
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
    const [a, b] = await dispatched();
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
    let unit = only(await dispatched());
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
    const units = await dispatched();
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
