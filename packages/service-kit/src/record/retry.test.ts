import type { Redis } from 'ioredis';
import { describe, expect, it } from 'vitest';
import { HANDOFF_POOL, poolStatus } from '../permits/permits.ts';
import { WEIGHTS_KEY } from '../redis/keys.ts';
import { dispatched, failure } from '../testing/record-views.ts';
import {
  artifact,
  GPU,
  ingested,
  mustClaim,
  newProof,
  only,
  proved,
  SYNTH,
  synthesized,
} from '../testing/sample-proof.ts';
import { useTestRedis } from '../testing/use-test-redis.ts';
import { failUnit, refuseC1, submitPartitionProof, submitResult } from './changes.ts';
import { createOrJoinProof } from './create-proof.ts';
import { readProof } from './read-proof.ts';
import { retryProof } from './retry.ts';
import { cancelRun } from './run-control.ts';
import type { NextUnit, Problem } from './types.ts';

let redis: Redis;
useTestRedis((opened) => {
  redis = opened;
});

/** Of a kind that does not speak against the worker. */
const PROBLEM: Problem = { code: 'GPU_OUT_OF_MEMORY', message: 'too small' };
const FINAL = failure({ problem: PROBLEM, retryable: false, maxFailures: 1 });

/** A proof of three partitions of which the first `done` are proved when the next one fails for good. */
async function failedAfter(done: number): Promise<string> {
  const id = await ingested(redis, 3);
  const units = await dispatched(redis);
  for (const unit of units.slice(0, done)) await proved(redis, await synthesized(redis, unit));
  const claim = await mustClaim(redis, await synthesized(redis, units[done] as NextUnit), GPU);
  await failUnit(redis, claim.fence, FINAL);
  expect((await readProof(redis, id))?.state).toBe('failed');
  return id;
}

describe('another run', () => {
  it('keeps the partitions that were proved and makes only the others', async () => {
    const id = await failedAfter(2);
    const before = await readProof(redis, id);
    expect(await retryProof(redis, id)).toEqual({ run: 2, reused: 2, next: [] });
    const proof = await readProof(redis, id);
    expect([proof?.state, proof?.run, proof?.endedAt, proof?.problem]).toEqual([
      'queued',
      2,
      null,
      null,
    ]);
    expect(proof?.partitions.map(({ state }) => state)).toEqual(['proved', 'proved', 'pending']);
    expect(proof?.partitions[1]?.proofHex).toBe(before?.partitions[1]?.proofHex);

    const unit = only(await dispatched(redis));
    expect(unit).toMatchObject({ run: 2, stage: 'synthesize', partition: 2, attempt: 1 });
    const last = await proved(redis, await synthesized(redis, unit));
    const finalize = await mustClaim(redis, only(last.next), SYNTH);
    if (finalize.stage !== 'finalize') throw new Error('expected finalize');
    expect(finalize.partitions.map(({ proof: bytes }) => bytes[0])).toEqual([0, 1, 2]);
    await submitResult(redis, finalize.fence, artifact('result'), 'insecure-development');
    expect((await readProof(redis, id))?.state).toBe('succeeded');
    expect((await poolStatus(redis, HANDOFF_POOL)).leases).toBe(0);
  });

  it('goes straight to finalize when only finalize had failed', async () => {
    const id = await ingested(redis, 1);
    const done = await proved(redis, await synthesized(redis, only(await dispatched(redis))));
    const claim = await mustClaim(redis, only(done.next), SYNTH);
    await failUnit(redis, claim.fence, FINAL);
    const { run, reused, next } = await retryProof(redis, id);
    expect([run, reused, only(next).stage, only(next).run]).toEqual([2, 1, 'finalize', 2]);
  });

  it('begins with ingest when there was no verdict, or a bad one', async () => {
    const created = await createOrJoinProof(redis, newProof());
    const claim = await mustClaim(redis, only(created.next), SYNTH);
    await refuseC1(redis, claim.fence, PROBLEM);
    const { next } = await retryProof(redis, created.proofId);
    expect(only(next)).toMatchObject({ stage: 'ingest', run: 2, attempt: 1 });
  });

  it('takes no result of the run before, not even of the same attempt', async () => {
    const id = await ingested(redis, 2);
    const [a, b] = await dispatched(redis);
    const late = await mustClaim(redis, await synthesized(redis, a as NextUnit), GPU);
    const failing = await mustClaim(redis, await synthesized(redis, b as NextUnit), GPU);
    await failUnit(redis, failing.fence, FINAL);
    await retryProof(redis, id);
    const again = (await dispatched(redis))[0] as NextUnit;
    await mustClaim(redis, await synthesized(redis, again), GPU);
    const change = await submitPartitionProof(redis, late.fence, {
      proof: new Uint8Array(192),
      parameters: 'insecure-development',
      worker: GPU.name,
      phases: [],
    });
    expect([change.accepted, change.reason]).toEqual([false, 'stale']);
  });

  it('may have a later deadline after one that passed', async () => {
    const id = await ingested(redis, 1, { deadlineAt: Date.now() + 50_000 });
    await cancelRun(redis, id, 'expired');
    const later = Date.now() + 90_000;
    await retryProof(redis, id, later);
    expect((await readProof(redis, id))?.deadlineAt).toBe(later);
    expect(await dispatched(redis)).toHaveLength(1);
  });

  it('counts for its tenant like a new proof: to its limit, and with its weight', async () => {
    const tenant = { name: 'alpha', weight: 3, maxLiveProofs: 1 };
    const ended = await ingested(redis, 1, { tenant });
    await cancelRun(redis, ended, 'expired');
    const live = await ingested(redis, 1, { tenant });
    await expect(retryProof(redis, ended, null, tenant)).rejects.toMatchObject({
      code: 'QUOTA_EXCEEDED',
    });
    await cancelRun(redis, live, 'cancelled');
    await retryProof(redis, ended, null, tenant);
    expect(await redis.hgetall(WEIGHTS_KEY)).toEqual({ alpha: '3' });
  });

  it('is refused for proofs that live, succeeded, were cancelled, or that another stands for', async () => {
    const live = await ingested(redis, 1);
    await expect(retryProof(redis, live)).rejects.toMatchObject({ code: 'RETRY_REFUSED' });
    await cancelRun(redis, live, 'cancelled');
    await expect(retryProof(redis, live)).rejects.toMatchObject({
      code: 'RETRY_REFUSED',
      facts: { found: 'cancelled' },
    });
    await expect(retryProof(redis, 'prf_none')).rejects.toMatchObject({ code: 'PROOF_NOT_FOUND' });

    const failed = await failedAfter(0);
    const { contentKey } = (await readProof(redis, failed)) ?? {};
    const other = await createOrJoinProof(redis, newProof({ contentKey: String(contentKey) }));
    await expect(retryProof(redis, failed)).rejects.toMatchObject({
      code: 'RETRY_REFUSED',
      facts: { found: other.proofId },
    });
  });
});
