import { dispatchAll } from '@cuzk/service-kit/fleet/dispatcher';
import { submitResult } from '@cuzk/service-kit/record/changes';
import { readProof } from '@cuzk/service-kit/record/read-proof';
import { cancelRun } from '@cuzk/service-kit/record/run-control';
import { eventually } from '@cuzk/service-kit/testing/open-test-service';
import {
  mustClaim,
  only,
  proved,
  SYNTH,
  synthesized,
} from '@cuzk/service-kit/testing/sample-proof';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { BareApi } from './testing/bare-api.ts';

let api: BareApi;
beforeAll(async () => {
  api = await BareApi.open();
});
afterAll(() => api.close());
beforeEach(() => api.renew());
afterEach(() => api.clear());

/** As `proved` makes its partition proofs. */
const RESULT = Buffer.concat([0, 1].map((partition) => Buffer.alloc(192, partition)));

describe('reading proofs', () => {
  async function finished(): Promise<string> {
    await api.ingestSays(null);
    const { proofId } = (await api.post()).json();
    const { units } = await dispatchAll(api.worker.redis, { handoffBytes: 1e9, window: 100 });
    let last: Awaited<ReturnType<typeof proved>> | undefined;
    for (const unit of units)
      last = await proved(api.worker.redis, await synthesized(api.worker.redis, unit));
    const claim = await mustClaim(api.worker.redis, only(last?.next ?? []), SYNTH);
    const result = await api.worker.artifacts.put(`proofs/${proofId}/r1/proof.bin`, RESULT);
    await submitResult(api.worker.redis, claim.fence, result, 'insecure-development');
    return proofId;
  }

  it('shows state, partitions with worker and attempts, and why a proof waits', async () => {
    await api.ingestSays(null);
    const { proofId } = (await api.post()).json();
    const waiting = (await api.get(`/v1/proofs/${proofId}`)).json();
    expect(waiting).toMatchObject({
      state: 'queued',
      run: 1,
      miner: 'f01000',
      sector: '1',
      sectorSize: '2KiB',
      parameters: null,
      error: null,
      waiting: { position: 0, reason: 'No synth-worker is running.' },
    });
    const { units } = await dispatchAll(api.worker.redis, { handoffBytes: 1e9, window: 1 });
    await mustClaim(api.worker.redis, only(units), SYNTH);
    const running = (await api.get(`/v1/proofs/${proofId}`)).json();
    expect(running.partitions[0]).toMatchObject({
      index: 0,
      state: 'synthesizing',
      worker: 'synth-worker/node-a/0',
      attempts: { synthesize: 1, prove: 0 },
    });
    expect(running.partitions[1].state).toBe('pending');
  });

  it('gives the result as JSON or bytes, and says which parameters made it', async () => {
    const proofId = await finished();
    const json = await api.get(`/v1/proofs/${proofId}/result`);
    expect(json.json()).toMatchObject({
      proofId,
      parameters: 'insecure-development',
      partitions: 2,
    });
    expect(Buffer.from(json.json().proof, 'base64')).toEqual(RESULT);
    const binary = await api.get(`/v1/proofs/${proofId}/result`, {
      accept: 'application/octet-stream',
    });
    expect(binary.headers['content-type']).toBe('application/octet-stream');
    expect(binary.headers['x-cuzk-parameters']).toBe('insecure-development');
    expect(binary.rawPayload).toEqual(RESULT);
    expect((await api.get(`/v1/proofs/${proofId}`)).json().parameters).toBe('insecure-development');
    const joined = await api.post();
    expect([joined.statusCode, joined.json()]).toEqual([
      200,
      expect.objectContaining({
        proofId,
        joined: true,
        state: 'succeeded',
        parameters: 'insecure-development',
      }),
    ]);
  });

  it('puts a result together again that is gone or damaged: a proof that succeeded has no other run', async () => {
    const proofId = await finished();
    const url = `/v1/proofs/${proofId}/result`;
    const { proof, sha256 } = (await api.get(url)).json();
    const { artifacts } = api.worker;
    const ref = `proofs/${proofId}/r1/proof.bin`;
    for (const harm of [() => artifacts.delete(ref), () => artifacts.put(ref, Buffer.alloc(9))]) {
      await harm();
      expect((await api.get(url)).json()).toMatchObject({ proof, sha256 });
      expect(await artifacts.stat(ref)).toMatchObject({ bytes: 384 });
    }
  });

  it('keeps a development proof to itself once these are not allowed, and makes another one', async () => {
    const proofId = await finished();
    await api.use(await api.build({ ALLOW_DEVELOPMENT_PARAMS: '0' }));
    const result = await api.get(`/v1/proofs/${proofId}/result`);
    expect([result.statusCode, result.json().code]).toEqual([403, 'PARAMS_INSECURE']);
    const again = await api.post();
    expect([again.statusCode, again.json().joined]).toEqual([202, false]);
    expect(again.json().proofId).not.toBe(proofId);
  });

  it('has no result before the end', async () => {
    const { proofId } = (await api.post()).json();
    const response = await api.get(`/v1/proofs/${proofId}/result`);
    expect([response.statusCode, response.json().code]).toEqual([409, 'PROOF_NOT_READY']);
  });

  it('knows no other ids', async () => {
    for (const id of ['prf_01940b1e-8a00-7000-8000-000000000000', 'x', '..%2f..%2fetc']) {
      for (const path of ['', '/result', '/events']) {
        const response = await api.get(`/v1/proofs/${id}${path}`);
        expect([response.statusCode, response.json().code]).toEqual([404, 'PROOF_NOT_FOUND']);
      }
    }
    expect((await api.get('/v2/other')).statusCode).toBe(404);
  });

  it('lists newest first, by pages and by state', async () => {
    const ids: string[] = [];
    for (const sector of [1, 2, 3]) {
      ids.unshift(
        (await api.post({ url: `/v1/proofs?miner=f01000&sector=${sector}` })).json().proofId,
      );
    }
    const first = (await api.get('/v1/proofs?limit=2')).json();
    expect(first.proofs.map((proof: { proofId: string }) => proof.proofId)).toEqual(
      ids.slice(0, 2),
    );
    const second = (await api.get(`/v1/proofs?limit=2&before=${first.next}`)).json();
    expect(second.proofs.map((proof: { proofId: string }) => proof.proofId)).toEqual(ids.slice(2));
    expect(second.next).toBeNull();
    await cancelRun(api.service.redis, ids[1] as string, 'cancelled');
    const cancelled = (await api.get('/v1/proofs?state=cancelled')).json();
    expect(cancelled.proofs.map((proof: { proofId: string }) => proof.proofId)).toEqual([ids[1]]);
    expect((await api.get('/v1/proofs?state=other')).statusCode).toBe(400);
  });

  it('cancels a live proof, twice the same, and not an ended one', async () => {
    const { proofId } = (await api.post()).json();
    const cancel = () => api.app.inject({ method: 'DELETE', url: `/v1/proofs/${proofId}` });
    for (let i = 0; i < 2; i++) {
      const response = await cancel();
      expect([response.statusCode, response.json()]).toEqual([
        202,
        { proofId, state: 'cancelled' },
      ]);
    }
    const done = await finished();
    const late = await api.app.inject({ method: 'DELETE', url: `/v1/proofs/${done}` });
    expect([late.statusCode, late.json().found]).toEqual([409, 'succeeded']);
  });
});

describe('events', () => {
  it('arrive as they happen, can be resumed, and end with the run', async () => {
    const url = await api.app.listen({ host: '127.0.0.1', port: 0 });
    const { proofId } = (await api.post()).json();
    const read = async (headers: Record<string, string> = {}) => {
      const response = await fetch(`${url}/v1/proofs/${proofId}/events`, { headers });
      expect(response.headers.get('content-type')).toBe('text/event-stream');
      return response.text();
    };
    const reading = read();
    await api.ingestSays(null);
    await eventually(async () => (await readProof(api.service.redis, proofId))?.state === 'queued');
    await cancelRun(api.service.redis, proofId, 'cancelled');
    const frames = (await reading).trim().split('\n\n');
    const states = frames.map((frame) => /"state":"([a-z]+)"/.exec(frame)?.[1]).filter(Boolean);
    expect(states[0]).toBe('received');
    expect(states.at(-1)).toBe('cancelled');
    const second = /^id: (.+)$/m.exec(frames[1] as string)?.[1] as string;
    expect((await read({ 'last-event-id': second })).trim().split('\n\n')).toEqual(frames.slice(2));
  });
});
