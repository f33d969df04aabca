import { c1Ref } from '@cuzk/service-kit/artifacts/names';
import { dispatchAll } from '@cuzk/service-kit/fleet/dispatcher';
import { failUnit } from '@cuzk/service-kit/record/changes';
import { beginRequest } from '@cuzk/service-kit/record/idempotency';
import { NO_TENANT } from '@cuzk/service-kit/record/tenant';
import { durationsKey } from '@cuzk/service-kit/redis/keys';
import { GOLDEN_CIRCUIT } from '@cuzk/service-kit/testing/golden-prover';
import {
  GPU,
  mustClaim,
  only,
  proved,
  SYNTH,
  synthesized,
} from '@cuzk/service-kit/testing/sample-proof';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TestApi } from './testing/open-test-api.ts';

let api: TestApi;
beforeEach(async () => {
  api = await TestApi.open();
});
afterEach(() => api.close());

const LIMITS = { handoffBytes: 1_000_000, window: 100 };

/** A fleet that has measured: two synthesis threads at 1 s, one GPU at 10 s a partition. */
async function measured(): Promise<void> {
  const { redis } = api.worker;
  const gpu = await api.fleet.open('gpu-worker');
  await api.worker.presence.publish({ ready: true, status: 'ready', slots: 2 });
  await gpu.presence.publish({
    ...{ ready: true, status: 'ready', circuits: [GOLDEN_CIRCUIT] },
    secondsPerPartition: { [GOLDEN_CIRCUIT]: 10 },
  });
  for (let i = 0; i < 10; i++) {
    await redis.lpush(durationsKey('synthesize', GOLDEN_CIRCUIT), 1_000);
    await redis.lpush(durationsKey('prove', GOLDEN_CIRCUIT), 10_000);
  }
}
const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString();

describe('a deadline', () => {
  it('that the fleet cannot keep is refused with the estimate, and nothing is left of the C1', async () => {
    await measured();
    const refused = await api.submit(1, `&deadline=${inSeconds(5)}`);
    expect([refused.statusCode, refused.json().code]).toEqual([422, 'DEADLINE_UNREACHABLE']);
    const { p50, p95 } = refused.json().estimate;
    const seconds = (Date.parse(p50) - Date.now()) / 1000;
    expect(seconds).toBeGreaterThan(10);
    expect(seconds).toBeLessThan(14);
    expect(Date.parse(p95)).toBeGreaterThanOrEqual(Date.parse(p50));
    expect((await api.call('GET', '/v1/proofs')).json().proofs).toEqual([]);
    for await (const { ref } of api.service.artifacts.list('proofs/')) throw new Error(ref);
  });

  it('is taken when it can be kept, and with bestEffort in any case', async () => {
    await measured();
    expect((await api.submit(1, `&deadline=${inSeconds(60)}`)).statusCode).toBe(202);
    const best = await api.submit(2, `&deadline=${inSeconds(5)}&bestEffort=true`);
    expect(best.statusCode).toBe(202);
  });

  it('counts what goes before: a backlog of the same class, not one of a lower class', async () => {
    await measured();
    for (let sector = 1; sector <= 9; sector++) await api.submit(sector);
    const late = await api.submit(20, `&deadline=${inSeconds(3600)}`);
    const after = await api.submit(21, `&deadline=${inSeconds(60)}&priority=low`);
    expect([late.statusCode, after.json().code]).toEqual([202, 'DEADLINE_UNREACHABLE']);
    expect((await api.submit(22, `&deadline=${inSeconds(60)}&priority=high`)).statusCode).toBe(202);
  });

  it('is not judged where nothing has been measured', async () => {
    expect((await api.submit(1, `&deadline=${inSeconds(1)}`)).statusCode).toBe(202);
  });
});

describe('the estimate of a proof', () => {
  it('is on the proof, with its place in the order', async () => {
    await measured();
    await api.submit(1);
    const second = (await api.submit(2)).json();
    const proof = (await api.call('GET', second.links.self)).json();
    expect(proof.waiting.position).toBe(1);
    expect(proof.priority).toBe('normal');
    const seconds = (Date.parse(proof.estimate.p50) - Date.now()) / 1000;
    expect(seconds).toBeGreaterThan(19);
    expect(seconds).toBeLessThan(26);
    await api.call('DELETE', second.links.self);
    expect((await api.call('GET', second.links.self)).json().estimate).toBeNull();
  });
});

describe('an idempotency key', () => {
  const keyed = { headers: { 'idempotency-key': 'k' } };

  it('gives the same answer to the same body, and 422 to another', async () => {
    const first = await api.submit(1, '', keyed);
    const again = await api.submit(1, '', keyed);
    expect(again.json().proofId).toBe(first.json().proofId);
    const other = await api.submit(2, '', keyed);
    expect([other.statusCode, other.json().code]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
  });

  it('answers 409 with Retry-After while the first request is under way, and lets go of it at its end', async () => {
    const first = await beginRequest(api.service.redis, NO_TENANT, 'k');
    const busy = await api.submit(1, '', keyed);
    expect([busy.statusCode, busy.json().code]).toEqual([409, 'IDEMPOTENCY_IN_PROGRESS']);
    expect(Number(busy.headers['retry-after'])).toBeGreaterThan(0);
    await first.end();
    expect((await api.submit(1, '', keyed)).statusCode).toBe(202);
  });

  it('is free again after a request that was refused', async () => {
    const refused = await api.submit(1, '', { ...keyed, payload: Buffer.from('{"seed":') });
    expect(refused.statusCode).toBe(400);
    expect((await api.submit(1, '', keyed)).statusCode).toBe(202);
  });

  it('makes one proof of a storm of the same request', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => api.submit(1, '', keyed)));
    const codes = answers.map(({ statusCode }) => statusCode);
    expect(codes.filter((code) => code === 202).length).toBeGreaterThanOrEqual(1);
    expect(codes.every((code) => code === 202 || code === 409)).toBe(true);
    expect((await api.call('GET', '/v1/proofs')).json().proofs).toHaveLength(1);
  });
});

describe('another run over HTTP', () => {
  async function failed(): Promise<string> {
    const { proofId } = (await api.submit(1)).json();
    const [unit] = (await dispatchAll(api.worker.redis, LIMITS)).units;
    const claim = await mustClaim(api.worker.redis, unit as never, SYNTH);
    await failUnit(api.worker.redis, claim.fence, {
      problem: { code: 'INTERNAL', message: 'made up' },
      ...{ retryable: false, maxFailures: 1, worker: SYNTH.name, excludeMs: 0 },
    });
    return proofId;
  }

  it('goes on with what was proved', async () => {
    const id = await failed();
    const retried = await api.call('POST', `/v1/proofs/${id}/retry`);
    expect([retried.statusCode, retried.json().run, retried.json().reusedPartitions]).toEqual([
      202, 2, 0,
    ]);
    const { redis } = api.worker;
    const done = await proved(
      redis,
      await synthesized(redis, only((await dispatchAll(redis, LIMITS)).units)),
      GPU,
    );
    expect(only(done.next)).toMatchObject({ stage: 'finalize', run: 2 });
    const again = await api.call('POST', `/v1/proofs/${id}/retry`);
    expect([again.statusCode, again.json().code]).toEqual([409, 'RETRY_REFUSED']);
  });

  it('is refused once the C1 is gone, and for an unknown proof', async () => {
    const id = await failed();
    for await (const { ref } of api.service.artifacts.list('proofs/'))
      await api.service.artifacts.delete(ref);
    const gone = await api.call('POST', `/v1/proofs/${id}/retry`);
    expect([gone.statusCode, gone.json().action]).toEqual([409, 'Submit the C1 again.']);
    const none = '/v1/proofs/prf_01940b1e-8a00-7000-8000-000000000000/retry';
    expect((await api.call('POST', none)).statusCode).toBe(404);
  });
});

describe('a cancel', () => {
  it('of a finished proof is 409 with the state', async () => {
    const { proofId, links } = (await api.submit(1)).json();
    const [unit] = (await dispatchAll(api.worker.redis, LIMITS)).units;
    const claim = await mustClaim(api.worker.redis, unit as never, SYNTH);
    await failUnit(api.worker.redis, claim.fence, {
      problem: { code: 'INTERNAL', message: 'made up' },
      ...{ retryable: false, maxFailures: 1, worker: SYNTH.name, excludeMs: 0 },
    });
    const answer = await api.call('DELETE', links.self);
    expect([answer.statusCode, answer.json().found]).toEqual([409, 'failed']);
    expect(proofId).toContain('prf_');
  });
});

describe('a Redis at its memory limit', () => {
  it('is 503 with Retry-After, and the same request goes well when there is room', async () => {
    const { redis } = api.service;
    await redis.config('SET', 'maxmemory', '1mb');
    const full = await api.submit(1);
    expect([full.statusCode, full.json().code]).toEqual([503, 'CAPACITY_EXHAUSTED']);
    expect(Number(full.headers['retry-after'])).toBeGreaterThan(0);
    await redis.config('SET', 'maxmemory', '0');
    expect((await api.submit(1)).statusCode).toBe(202);
    for await (const { ref } of api.service.artifacts.list('proofs/')) {
      expect(ref).toMatch(/c1\.json$/);
    }
  });
});

describe('a submission whose answer from Redis was lost', () => {
  it('keeps its C1, since its record may stand: the same request again joins it', async () => {
    await api.submit(2); // Redis has the script now.
    api.redis.freeze();
    const lost = await api.submit(1);
    api.redis.thaw(); // Now the record is written.
    expect(lost.statusCode).toBe(503);
    const again = (await api.submit(1)).json();
    expect(again.joined).toBe(true);
    expect(await api.service.artifacts.stat(c1Ref(again.proofId))).not.toBeNull();
  });
});
