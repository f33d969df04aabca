import type { Redis } from 'ioredis';
import { describe, expect, it } from 'vitest';
import { createLogger } from '../logger.ts';
import { Presence } from '../presence/presence.ts';
import { dispatched, failure, PROBLEM, states, usedBytes } from '../testing/record-views.ts';
import {
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
import { failUnit, handBackUnit, rejectPartitions, releaseHandoff } from './changes.ts';
import { claimUnit } from './claim.ts';
import { createOrJoinProof } from './create-proof.ts';
import { readProof } from './read-proof.ts';
import { clearSuspicion } from './suspects.ts';
import type { Problem } from './types.ts';

let redis: Redis;
useTestRedis((opened) => {
  redis = opened;
});

describe('failures', () => {
  it('repeats an attempt until its failures are used up, hand-backs not counted', async () => {
    const id = await ingested(redis, 1);
    let unit = only(await dispatched(redis));
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
    const prove = await synthesized(redis, only(await dispatched(redis)));
    const claim = await mustClaim(redis, prove, GPU);
    const problem: Problem = { code: 'ARTIFACT_DIGEST_MISMATCH', message: 'damaged' };
    const { next } = await failUnit(redis, claim.fence, failure({ problem }));
    expect([only(next).stage, only(next).attempt]).toEqual(['synthesize', 2]);
    expect(await states(redis, id)).toEqual(['running', 'queued']);
    expect(await usedBytes(redis)).toBe(WITNESS_BYTES);
    const again = await synthesized(redis, only(next));
    expect((await proved(redis, again)).accepted).toBe(true);
  });

  it('waits for dispatch again when the permit was already given back', async () => {
    const id = await ingested(redis, 1);
    const claim = await mustClaim(
      redis,
      await synthesized(redis, only(await dispatched(redis))),
      GPU,
    );
    await releaseHandoff(redis, claim.fence);
    expect(await usedBytes(redis)).toBe(0);
    const problem: Problem = { code: 'ARTIFACT_MISSING', message: 'gone' };
    expect((await failUnit(redis, claim.fence, failure({ problem }))).next).toEqual([]);
    expect(await states(redis, id)).toEqual(['running', 'pending']);
    expect(only(await dispatched(redis)).stage).toBe('synthesize');
  });

  it('keeps a partition from the GPU that failed it while another one can prove it', async () => {
    await ingested(redis, 1);
    const prove = await synthesized(redis, only(await dispatched(redis)));
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
    const prove = await synthesized(redis, only(await dispatched(redis)));
    expect(await claimUnit(redis, prove, GPU, ['other'])).toEqual({
      refused: 'circuit',
      later: true,
    });
    expect('fence' in (await claimUnit(redis, prove, GPU, ['other', 'circuit']))).toBe(true);
  });

  it('re-proves alone a partition that finalize rejects', async () => {
    const id = await ingested(redis, 2);
    const units = await dispatched(redis);
    let last: Awaited<ReturnType<typeof proved>> | undefined;
    for (const unit of units) last = await proved(redis, await synthesized(redis, unit));
    const finalize = await mustClaim(redis, only(last?.next ?? []), SYNTH);
    const problem: Problem = { code: 'PROOF_SELF_CHECK_FAILED', message: 'no' };
    const rejection = { partitions: [1], problem, maxFailures: 3, excludeMs: 60_000 };
    await rejectPartitions(redis, finalize.fence, rejection);
    expect(await states(redis, id)).toEqual(['running', 'proved', 'pending']);
    const again = only(await dispatched(redis));
    expect([again.stage, again.partition, again.attempt]).toEqual(['synthesize', 1, 2]);
    const finalAgain = await proved(redis, await synthesized(redis, again), GPU_2);
    expect(only(finalAgain.next)).toMatchObject({ stage: 'finalize', attempt: 2 });
  });
});
