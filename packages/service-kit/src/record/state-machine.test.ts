import type { Redis } from 'ioredis';
import { describe, expect, it } from 'vitest';
import {
  dispatched,
  failure,
  PROBLEM,
  states,
  terminalEvents,
  usedBytes,
} from '../testing/record-views.ts';
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
import { useTestRedis } from '../testing/use-test-redis.ts';
import {
  acceptC1,
  acceptPartition,
  failUnit,
  handBackUnit,
  refuseC1,
  releaseHandoff,
  submitPartitionProof,
  submitResult,
  submitSimulatedEnd,
  submitWitness,
} from './changes.ts';
import { claimUnit } from './claim.ts';
import { createOrJoinProof } from './create-proof.ts';
import { readEvents } from './read-events.ts';
import { readProof } from './read-proof.ts';
import { retryProof } from './retry.ts';
import { cancelRun, waitingUnits } from './run-control.ts';
import type { NextUnit, Problem, ProofSource } from './types.ts';

let redis: Redis;
useTestRedis((opened) => {
  redis = opened;
});

describe('the way of a proof', () => {
  it('goes from received to succeeded, partition by partition', async () => {
    const id = await ingested(redis, 2);
    expect(await states(redis, id)).toEqual(['queued', 'pending', 'pending']);

    const units = await dispatched(redis);
    expect(units.map((unit) => [unit.stage, unit.partition, unit.attempt])).toEqual([
      ['synthesize', 0, 1],
      ['synthesize', 1, 1],
    ]);
    expect(await states(redis, id)).toEqual(['queued', 'queued', 'queued']);
    expect(await usedBytes(redis)).toBe(2 * WITNESS_BYTES);

    const first = await synthesized(redis, units[0] as NextUnit);
    expect(await states(redis, id)).toEqual(['running', 'synthesized', 'queued']);
    const second = await synthesized(redis, units[1] as NextUnit);
    expect((await proved(redis, first)).next).toEqual([]);
    const last = await proved(redis, second);
    expect(await states(redis, id)).toEqual(['finalizing', 'proved', 'proved']);
    expect(await usedBytes(redis)).toBe(0);

    const claim = await mustClaim(redis, only(last.next), SYNTH);
    if (claim.stage !== 'finalize') throw new Error('expected a finalize claim');
    expect(claim.partitions.map((p) => [p.partition, p.proof.length, p.proof[0]])).toEqual([
      [0, 192, 0],
      [1, 192, 1],
    ]);
    expect(claim.parameters).toBe('insecure-development');
    await submitResult(redis, claim.fence, artifact('result', 384), 'insecure-development');
    expect(await states(redis, id)).toEqual(['succeeded', 'proved', 'proved']);
    expect(await terminalEvents(redis, id)).toHaveLength(1);
    expect((await readProof(redis, id))?.result).toEqual(artifact('result', 384));
  });

  it('takes the same witness and the same result again when the answer was lost, and no other', async () => {
    const id = await ingested(redis, 1);
    const { fence } = await mustClaim(redis, only(await dispatched(redis)), SYNTH);
    const first = await submitWitness(redis, fence, artifact('witness'), []);
    const record = await redis.hgetall(`{cuzk}:proof:${id}`);
    expect(await submitWitness(redis, fence, artifact('witness'), [])).toEqual(first);
    expect((await submitWitness(redis, fence, artifact('other'), [])).accepted).toBe(false);
    expect(await redis.hgetall(`{cuzk}:proof:${id}`)).toEqual(record);
    const end = only((await proved(redis, only(first.next))).next);
    const finalize = await mustClaim(redis, end, SYNTH);
    const result = (name: string) =>
      submitResult(redis, finalize.fence, artifact(name, 192), 'insecure-development');
    expect((await result('result')).accepted).toBe(true);
    expect([(await result('result')).accepted, (await result('other')).accepted]).toEqual([
      ...[true, false],
    ]);
    expect(await terminalEvents(redis, id)).toHaveLength(1);
    expect((await submitWitness(redis, fence, artifact('witness'), [])).accepted).toBe(false);
  });

  describe('while ingest still reads', () => {
    const facts = { circuitId: 'circuit', sectorBytes: 2048, witnessBytes: WITNESS_BYTES };
    const verdict = {
      ...facts,
      publicInputs: artifact('public-inputs'),
      inputs: [artifact('input-0'), artifact('input-1')],
    };
    const reading = async () => {
      const created = await createOrJoinProof(redis, newProof());
      const { fence } = await mustClaim(redis, only(created.next), SYNTH);
      const accept = (partition: number) =>
        acceptPartition(redis, fence, {
          ...{ ...facts, partitions: 2, partition, input: artifact(`input-${partition}`) },
        });
      expect((await accept(0)).accepted).toBe(true);
      return { id: created.proofId, fence, accept };
    };

    it('a partition that was found good is proved, and the proof ends after the verdict', async () => {
      const { id, fence, accept } = await reading();
      expect(await states(redis, id)).toEqual(['received', 'pending', 'pending']);
      const first = await synthesized(redis, only(await dispatched(redis)));
      expect((await proved(redis, first)).next).toEqual([]);
      expect(await states(redis, id)).toEqual(['received', 'proved', 'pending']);
      expect(await dispatched(redis)).toEqual([]);
      await accept(1);
      const second = await synthesized(redis, only(await dispatched(redis)));
      expect((await proved(redis, second)).next).toEqual([]);
      expect(await states(redis, id)).toEqual(['received', 'proved', 'proved']);
      const end = only((await acceptC1(redis, fence, verdict)).next);
      expect([end.stage, ...(await states(redis, id))]).toEqual([
        ...['finalize', 'finalizing', 'proved', 'proved'],
      ]);
    });

    it('the verdict adds what was not accepted before, and the run has begun', async () => {
      const { id, fence } = await reading();
      await synthesized(redis, only(await dispatched(redis)));
      expect((await acceptC1(redis, fence, verdict)).next).toEqual([]);
      expect(await states(redis, id)).toEqual(['running', 'synthesized', 'pending']);
      expect(only(await dispatched(redis)).partition).toBe(1);
    });

    it('a bad verdict ends what was begun, and a new run begins with ingest', async () => {
      const { id, fence, accept } = await reading();
      const unit = await synthesized(redis, only(await dispatched(redis)));
      const proving = await mustClaim(redis, unit, GPU);
      const problem: Problem = { code: 'C1_INCONSISTENT', message: 'bad', pointer: '/x/1' };
      expect((await refuseC1(redis, fence, problem)).accepted).toBe(true);
      expect(await states(redis, id)).toEqual(['failed', 'cancelled', 'cancelled']);
      expect((await readProof(redis, id))?.problem).toEqual(problem);
      expect(await usedBytes(redis)).toBe(0);
      expect((await releaseHandoff(redis, proving.fence)).reason).toBe('ended');
      expect((await accept(1)).reason).toBe('ended');
      const again = await retryProof(redis, id);
      expect([again.reused, only(again.next).stage]).toEqual([0, 'ingest']);
      expect(await states(redis, id)).toEqual(['received']);
    });

    it('another ingest after a lost one goes on with what the first one accepted', async () => {
      const { id, fence } = await reading();
      const unit = only(await dispatched(redis));
      const waiting = only((await handBackUnit(redis, fence, 'drained')).next);
      const second = await mustClaim(redis, waiting, SYNTH);
      const other = { ...facts, partitions: 2, partition: 0, input: artifact('again-0') };
      expect((await acceptPartition(redis, second.fence, other)).accepted).toBe(true);
      expect((await acceptPartition(redis, fence, other)).accepted).toBe(false);
      const proof = await readProof(redis, id);
      expect([proof?.partitions[0]?.state, proof?.partitions[0]?.input]).toEqual([
        ...['queued', artifact('input-0')],
      ]);
      expect(await dispatched(redis)).toEqual([]);
      const units = (await waitingUnits(redis, id)).next;
      expect(units).toEqual([unit]);
    });
  });

  it('ends as failed with the problem when ingest refuses the C1', async () => {
    const created = await createOrJoinProof(redis, newProof());
    const claim = await mustClaim(redis, only(created.next), SYNTH);
    const problem: Problem = { code: 'C1_MALFORMED', message: 'bad', pointer: '/seed' };
    expect((await refuseC1(redis, claim.fence, problem)).accepted).toBe(true);
    const proof = await readProof(redis, created.proofId);
    expect([proof?.state, proof?.problem]).toEqual(['failed', problem]);
    expect(await dispatched(redis)).toEqual([]);
  });

  it('tells every change as an event, in order', async () => {
    const id = await ingested(redis, 1);
    await synthesized(redis, only(await dispatched(redis)));
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

  async function simulatedEnd(): Promise<{ contentKey: string }> {
    const id = await ingested(redis, 1);
    const unit = await synthesized(redis, only(await dispatched(redis)));
    const claim = await mustClaim(redis, unit, GPU);
    const { next } = await submitPartitionProof(redis, claim.fence, {
      proof: new Uint8Array(192),
      parameters: 'simulated',
      worker: GPU.name,
      phases: [],
    });
    const last = await mustClaim(redis, only(next), SYNTH);
    await submitSimulatedEnd(redis, last.fence);
    const proof = await readProof(redis, id);
    expect(proof?.state).toBe('succeeded');
    return { contentKey: proof?.contentKey ?? '' };
  }

  it('joins a succeeded proof only where what made it is accepted', async () => {
    const joined = async (accepts: readonly ProofSource[]) => {
      await redis.flushall();
      const { contentKey } = await simulatedEnd();
      return (await createOrJoinProof(redis, newProof({ contentKey, accepts }))).joined;
    };
    expect(await joined(['production', 'insecure-development'])).toBe(false);
    expect(await joined([])).toBe(false);
    expect(await joined(['production', 'simulated'])).toBe(true);
  });

  it('gives a live proof the latest of the deadlines: whoever joined has not asked for an earlier end', async () => {
    const soon = Date.now() + 50_000;
    const deadlineAfter = async (joining: number | null, own: number | null = soon) => {
      const proof = newProof({ deadlineAt: own });
      await createOrJoinProof(redis, proof);
      const { contentKey } = proof;
      await createOrJoinProof(redis, newProof({ contentKey, deadlineAt: joining }));
      return (await readProof(redis, proof.proofId))?.deadlineAt;
    };
    expect(await deadlineAfter(soon + 1)).toBe(soon + 1);
    expect(await deadlineAfter(soon - 1)).toBe(soon);
    expect(await deadlineAfter(null)).toBeNull();
    expect(await deadlineAfter(soon, null)).toBeNull();
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
    const unit = only(await dispatched(redis));
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
    const unit = only(await dispatched(redis));
    const first = await mustClaim(redis, unit, SYNTH);
    const again = await mustClaim(redis, unit, SYNTH);
    expect(again.fence).toEqual(first.fence);
    expect(
      (await readEvents(redis, unit.proofId, null)).filter((e) => e.data.state === 'synthesizing'),
    ).toHaveLength(1);
  });

  it('refuses a job of an attempt that has passed', async () => {
    await ingested(redis, 1);
    const unit = only(await dispatched(redis));
    const claim = await mustClaim(redis, unit, SYNTH);
    await handBackUnit(redis, claim.fence, 'drain');
    expect(await claimUnit(redis, unit, GPU)).toEqual({ refused: 'stale', later: false });
  });

  it('changes nothing for a late twin, whatever it submits', async () => {
    const id = await ingested(redis, 1);
    const prove = await synthesized(redis, only(await dispatched(redis)));
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
    expect(await usedBytes(redis)).toBe(WITNESS_BYTES);

    expect((await submitPartitionProof(redis, current.fence, proof)).accepted).toBe(true);
    expect((await submitPartitionProof(redis, current.fence, proof)).accepted).toBe(false);
    expect(await states(redis, id)).toEqual(['finalizing', 'proved']);
  });

  it('ends a run once, whatever comes after', async () => {
    const id = await ingested(redis, 2);
    const [a, b] = await dispatched(redis);
    const claimA = await mustClaim(redis, a as NextUnit, SYNTH);
    const claimB = await mustClaim(redis, b as NextUnit, GPU);
    await failUnit(redis, claimA.fence, failure({ retryable: false }));
    expect(await states(redis, id)).toEqual(['failed', 'failed', 'cancelled']);
    const late = await submitWitness(redis, claimB.fence, artifact('w'), []);
    expect([late.accepted, late.reason]).toEqual([false, 'ended']);
    await failUnit(redis, claimB.fence, failure());
    expect((await cancelRun(redis, id, 'cancelled')).changed).toBe(false);
    expect(await terminalEvents(redis, id)).toHaveLength(1);
    expect(await usedBytes(redis)).toBe(0);
  });
});
