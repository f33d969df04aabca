import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { loadConfig } from '@cuzk/service-kit/config/load-config';
import { paramsFoldersOf } from '@cuzk/service-kit/config/parameter-settings';
import { dispatchAll } from '@cuzk/service-kit/fleet/dispatcher';
import type { Service } from '@cuzk/service-kit/open-service';
import { StageWorker } from '@cuzk/service-kit/queues/stage-worker';
import { acceptC1, refuseC1, submitResult } from '@cuzk/service-kit/record/changes';
import { readProof } from '@cuzk/service-kit/record/read-proof';
import { cancelRun } from '@cuzk/service-kit/record/run-control';
import type { IngestClaim, Problem } from '@cuzk/service-kit/record/types';
import { installGoldenKey, readGoldenCase } from '@cuzk/service-kit/testing/golden-case';
import { GOLDEN_CIRCUIT } from '@cuzk/service-kit/testing/golden-prover';
import { eventually, TestFleet } from '@cuzk/service-kit/testing/open-test-service';
import { TestRedis } from '@cuzk/service-kit/testing/redis-server';
import {
  artifact,
  mustClaim,
  only,
  proved,
  SYNTH,
  synthesized,
} from '@cuzk/service-kit/testing/sample-proof';
import { openVerifier, type Verifier } from '@cuzk/service-kit/threads/open-verifier';
import type { FastifyInstance, InjectOptions } from 'fastify';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { buildApp } from './build-app.ts';
import { API_SETTINGS } from './config.ts';

const GOLDEN = readGoldenCase('2KiB-V1_1-a');
const MAX_BODY_BYTES = 200_000;

let server: TestRedis;
let fleet: TestFleet;
let service: Service;
let worker: Service;
let verifier: Verifier;
let app: FastifyInstance;
const closing: (() => Promise<void>)[] = [];

beforeAll(async () => {
  server = await TestRedis.start();
  verifier = openVerifier();
});
afterAll(async () => {
  await verifier.close();
  await server.stop();
});
beforeEach(async () => {
  fleet = new TestFleet(server.url);
  service = await fleet.open('api');
  worker = await fleet.open('synth-worker');
  await service.redis.flushall();
  const cache = join(fleet.folder, 'cache');
  mkdirSync(cache);
  installGoldenKey(cache);
  const config = loadConfig(API_SETTINGS, {
    REDIS_URL: server.url,
    CUZK_CACHE_DIR: cache,
    FIL_PROOFS_PARAMETER_CACHE: join(fleet.folder, 'none'),
    ALLOW_DEVELOPMENT_PARAMS: '1',
    MAX_BODY_BYTES: String(MAX_BODY_BYTES),
    INGEST_WAIT_MS: '500',
  });
  const folders = paramsFoldersOf(config);
  app = await buildApp({ service, config, verifier, folders, callers: null });
});
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
  await app.close();
  await fleet.close();
});

/** An ingest stage that says this of every C1; null accepts. */
async function ingestSays(problem: Problem | null): Promise<void> {
  const handle = (claim: IngestClaim) =>
    problem
      ? refuseC1(worker.redis, claim.fence, problem)
      : acceptC1(worker.redis, claim.fence, {
          circuitId: GOLDEN_CIRCUIT,
          sectorBytes: 2048,
          witnessBytes: 1000,
          publicInputs: artifact('public-inputs'),
          inputs: [artifact('input-0'), artifact('input-1')],
        });
  const stage = await StageWorker.start(worker, {
    stage: 'ingest',
    concurrency: 4,
    maxFailures: 3,
    handle,
  });
  closing.push(() => stage.drain());
}

const post = (changes: InjectOptions = {}) =>
  app.inject({
    method: 'POST',
    url: `/v1/proofs?miner=f01000&sector=1`,
    headers: { 'content-type': 'application/json' },
    payload: Buffer.from(GOLDEN.c1),
    ...changes,
  });
const get = (url: string, headers: Record<string, string> = {}) =>
  app.inject({ method: 'GET', url, headers });
const storedRefs = async (): Promise<string[]> => {
  const found: string[] = [];
  for await (const { ref } of service.artifacts.list('')) found.push(ref);
  return found;
};
const wrapper = (c1: Uint8Array, more: object = {}) =>
  JSON.stringify({
    SectorNum: 1,
    Phase1Out: Buffer.from(c1).toString('base64'),
    SectorSize: 2048,
    ...more,
  });

describe('POST /v1/proofs', () => {
  it('answers 202 with an id once ingest has found the C1 good', async () => {
    await ingestSays(null);
    const response = await post();
    expect(response.statusCode).toBe(202);
    const { proofId, state, joined, links } = response.json();
    expect([state, joined]).toEqual(['queued', false]);
    expect(response.headers.location).toBe(`/v1/proofs/${proofId}`);
    expect(links.result).toBe(`/v1/proofs/${proofId}/result`);
    const proof = await readProof(service.redis, proofId);
    expect(
      Buffer.from(await service.artifacts.get(proof?.c1 as never)).equals(Buffer.from(GOLDEN.c1)),
    ).toBe(true);
  });

  it('answers with the problem when ingest refuses the C1 within the wait', async () => {
    await ingestSays({
      code: 'C1_MALFORMED',
      message: 'too short',
      pointer: '/seed',
      expected: '32',
      found: '31',
    });
    const response = await post();
    expect(response.statusCode).toBe(422);
    expect(response.headers['content-type']).toContain('application/problem+json');
    expect(response.json()).toMatchObject({
      type: 'urn:cuzk:error:C1_MALFORMED',
      title: 'c1 malformed',
      status: 422,
      detail: 'too short',
      code: 'C1_MALFORMED',
      pointer: '/seed',
      expected: '32',
      found: '31',
    });
    const again = await get(`${response.headers.location}`);
    expect(again.json()).toMatchObject({
      state: 'failed',
      error: { code: 'C1_MALFORMED', pointer: '/seed' },
    });
  });

  it('answers 202 as received when the verdict takes longer', async () => {
    const startedAt = performance.now();
    const response = await post();
    expect([response.statusCode, response.json().state]).toEqual([202, 'received']);
    expect(performance.now() - startedAt).toBeGreaterThan(400);
  });

  it('takes gzip, the wrapper, its gzip, and names in headers, all as the same work', async () => {
    await ingestSays(null);
    const json = { 'content-type': 'application/json' };
    const variants: InjectOptions[] = [
      {},
      { headers: { ...json, 'content-encoding': 'gzip' }, payload: gzipSync(GOLDEN.c1) },
      { payload: wrapper(GOLDEN.c1) },
      {
        payload: JSON.stringify({
          Phase1Out: Buffer.from(GOLDEN.c1).toString('base64'),
          SectorSize: 2048,
          SectorNum: 1,
        }),
      },
      { url: '/v1/proofs', payload: wrapper(GOLDEN.c1, { Miner: 't01000', Other: true }) },
      { headers: { ...json, 'content-encoding': 'gzip' }, payload: gzipSync(wrapper(GOLDEN.c1)) },
      { url: '/v1/proofs', headers: { ...json, 'x-cuzk-miner': 'f01000', 'x-cuzk-sector': '1' } },
      { url: '/v1/proofs?miner=1000&sector=1', headers: {} },
    ];
    const answers = [];
    for (const variant of variants) answers.push(await post(variant));
    expect(answers.map((response) => response.statusCode)).toEqual(variants.map(() => 202));
    const bodies = answers.map((response) => response.json());
    expect(new Set(bodies.map((body) => body.proofId)).size).toBe(1);
    expect(bodies.map((body) => body.joined)).toEqual([false, ...Array(7).fill(true)]);
    expect(await storedRefs()).toEqual([`proofs/${bodies[0].proofId}/c1.json`]);
  });

  it('takes another sector of the same C1 as other work', async () => {
    const first = await post();
    const second = await post({ url: '/v1/proofs?miner=f01000&sector=2' });
    expect(second.json().joined).toBe(false);
    expect(second.json().proofId).not.toBe(first.json().proofId);
  });

  it('keeps an idempotency key to one content', async () => {
    await ingestSays({ code: 'C1_MALFORMED', message: 'bad' });
    const headers = { 'content-type': 'application/json', 'idempotency-key': 'k1' };
    const first = await post({ headers });
    const again = await post({ headers });
    expect([again.statusCode, again.headers.location]).toEqual([422, first.headers.location]);
    const other = await post({ headers, url: '/v1/proofs?miner=f01000&sector=2' });
    expect([other.statusCode, other.json().code]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
    const ids = (await get('/v1/proofs')).json().proofs;
    expect((await storedRefs()).length).toBe(ids.length);
    expect((await post()).headers.location).not.toBe(first.headers.location);
  });

  const text = Buffer.from(GOLDEN.c1).toString();
  const refused: [string, InjectOptions, number, string, string?][] = [
    ['no body', { payload: '' }, 400, 'C1_NOT_JSON'],
    ['an array', { payload: '[]' }, 422, 'C1_MALFORMED', ''],
    ['whitespace', { payload: ' \n ' }, 400, 'C1_NOT_JSON', ''],
    ['plain text', { payload: 'hello' }, 400, 'C1_NOT_JSON'],
    ['a cut document', { payload: text.slice(0, -1) }, 400, 'C1_NOT_JSON'],
    [
      'an unknown proof type',
      { payload: text.replace('StackedDrg2KiBV1_1', 'StackedDrg3KiBV1_1') },
      422,
      'C1_UNSUPPORTED',
      '/registered_proof',
    ],
    [
      'an unknown size key',
      { payload: text.replace('"StackedDrg2KiBV1"', '"StackedDrg3KiBV1"') },
      422,
      'C1_UNSUPPORTED',
      '/vanilla_proofs',
    ],
    [
      'a damaged gzip',
      { headers: { 'content-encoding': 'gzip' }, payload: gzipSync(text).subarray(0, 5000) },
      400,
      'REQUEST_INVALID',
    ],
    [
      'no gzip at all',
      { headers: { 'content-encoding': 'gzip' }, payload: text },
      400,
      'REQUEST_INVALID',
    ],
    [
      'an encoding of another kind',
      { headers: { 'content-encoding': 'br' }, payload: text },
      400,
      'REQUEST_INVALID',
    ],
    [
      'base64 with a bad character',
      { payload: wrapper(GOLDEN.c1).replace('eyJ', 'ey*') },
      422,
      'C1_MALFORMED',
      '/Phase1Out',
    ],
    [
      'base64 of a wrong length',
      { payload: JSON.stringify({ Phase1Out: 'eyJ9e' }) },
      422,
      'C1_MALFORMED',
      '/Phase1Out',
    ],
    [
      'a wrapper without a C1',
      { payload: '{"SectorNum": 1, "SectorSize": 2048}' },
      422,
      'C1_MALFORMED',
      '/Phase1Out',
    ],
    ['a cut wrapper', { payload: wrapper(GOLDEN.c1).slice(0, -2) }, 400, 'C1_NOT_JSON'],
    [
      'a wrapper of another sector size',
      { payload: wrapper(GOLDEN.c1, { SectorSize: 4096 }) },
      422,
      'C1_INCONSISTENT',
      '/SectorSize',
    ],
    [
      'a wrapper of another sector',
      { payload: wrapper(GOLDEN.c1, { SectorNum: 9 }) },
      400,
      'REQUEST_INVALID',
      '/sector',
    ],
    ['no miner', { url: '/v1/proofs?sector=1' }, 400, 'REQUEST_INVALID', '/miner'],
    ['no sector', { url: '/v1/proofs?miner=f01000' }, 400, 'REQUEST_INVALID', '/sector'],
    [
      'a robust address as miner',
      { url: '/v1/proofs?miner=f2abc&sector=1' },
      400,
      'REQUEST_INVALID',
      '/miner',
    ],
    [
      'a sector above 64 bits',
      { url: `/v1/proofs?miner=f01000&sector=${2n ** 64n}` },
      400,
      'REQUEST_INVALID',
      '/sector',
    ],
    [
      'a priority out of range',
      { url: '/v1/proofs?miner=f01000&sector=1&priority=urgent' },
      400,
      'REQUEST_INVALID',
    ],
    [
      'a deadline in the past',
      { url: '/v1/proofs?miner=f01000&sector=1&deadline=2020-01-01T00:00:00Z' },
      400,
      'REQUEST_INVALID',
      '/deadline',
    ],
    ['too many bytes', { payload: Buffer.alloc(MAX_BODY_BYTES + 1, '{') }, 413, 'BODY_TOO_LARGE'],
    [
      'a gzip bomb',
      {
        headers: { 'content-encoding': 'gzip' },
        payload: gzipSync(`{"a":"${'x'.repeat(5_000_000)}"}`),
      },
      413,
      'BODY_TOO_LARGE',
    ],
  ];
  it.each(refused)(
    'refuses %s at once, and keeps nothing of it',
    async (_name, changes, status, code, pointer) => {
      const response = await post(changes);
      expect(response.json()).toMatchObject({
        status,
        code,
        ...(pointer === undefined ? {} : { pointer }),
      });
      expect(response.statusCode).toBe(status);
      expect(response.headers['content-type']).toContain('application/problem+json');
      expect(await storedRefs()).toEqual([]);
      expect(await service.redis.zcard('{cuzk}:proofs')).toBe(0);
    },
  );

  it('counts the bytes of a body without a length', async () => {
    const url = await app.listen({ host: '127.0.0.1', port: 0 });
    async function* endless() {
      for (let i = 0; i < 400; i++) yield Buffer.alloc(1000, i === 0 ? '{' : ' ');
    }
    const response = await fetch(`${url}/v1/proofs?miner=f01000&sector=1`, {
      method: 'POST',
      body: endless() as never,
      duplex: 'half',
    } as RequestInit);
    expect([response.status, ((await response.json()) as { code: string }).code]).toEqual([
      413,
      'BODY_TOO_LARGE',
    ]);
    expect(await storedRefs()).toEqual([]);
  });
});

describe('reading proofs', () => {
  async function finished(): Promise<string> {
    await ingestSays(null);
    const { proofId } = (await post()).json();
    const { units } = await dispatchAll(worker.redis, { handoffBytes: 1e9, window: 100 });
    let last: Awaited<ReturnType<typeof proved>> | undefined;
    for (const unit of units)
      last = await proved(worker.redis, await synthesized(worker.redis, unit));
    const claim = await mustClaim(worker.redis, only(last?.next ?? []), SYNTH);
    const result = await worker.artifacts.put(
      `proofs/${proofId}/r1/proof.bin`,
      Buffer.alloc(384, 7),
    );
    await submitResult(worker.redis, claim.fence, result, 'insecure-development');
    return proofId;
  }

  it('shows state, partitions with worker and attempts, and why a proof waits', async () => {
    await ingestSays(null);
    const { proofId } = (await post()).json();
    const waiting = (await get(`/v1/proofs/${proofId}`)).json();
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
    const { units } = await dispatchAll(worker.redis, { handoffBytes: 1e9, window: 1 });
    await mustClaim(worker.redis, only(units), SYNTH);
    const running = (await get(`/v1/proofs/${proofId}`)).json();
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
    const json = await get(`/v1/proofs/${proofId}/result`);
    expect(json.json()).toMatchObject({
      proofId,
      parameters: 'insecure-development',
      partitions: 2,
    });
    expect(Buffer.from(json.json().proof, 'base64')).toEqual(Buffer.alloc(384, 7));
    const binary = await get(`/v1/proofs/${proofId}/result`, {
      accept: 'application/octet-stream',
    });
    expect(binary.headers['content-type']).toBe('application/octet-stream');
    expect(binary.headers['x-cuzk-parameters']).toBe('insecure-development');
    expect(binary.rawPayload).toEqual(Buffer.alloc(384, 7));
    expect((await get(`/v1/proofs/${proofId}`)).json().parameters).toBe('insecure-development');
    const joined = await post();
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

  it('has no result before the end', async () => {
    const { proofId } = (await post()).json();
    const response = await get(`/v1/proofs/${proofId}/result`);
    expect([response.statusCode, response.json().code]).toEqual([409, 'PROOF_NOT_READY']);
  });

  it('knows no other ids', async () => {
    for (const id of ['prf_01940b1e-8a00-7000-8000-000000000000', 'x', '..%2f..%2fetc']) {
      for (const path of ['', '/result', '/events']) {
        const response = await get(`/v1/proofs/${id}${path}`);
        expect([response.statusCode, response.json().code]).toEqual([404, 'PROOF_NOT_FOUND']);
      }
    }
    expect((await get('/v2/other')).statusCode).toBe(404);
  });

  it('lists newest first, by pages and by state', async () => {
    const ids: string[] = [];
    for (const sector of [1, 2, 3]) {
      ids.unshift((await post({ url: `/v1/proofs?miner=f01000&sector=${sector}` })).json().proofId);
    }
    const first = (await get('/v1/proofs?limit=2')).json();
    expect(first.proofs.map((proof: { proofId: string }) => proof.proofId)).toEqual(
      ids.slice(0, 2),
    );
    const second = (await get(`/v1/proofs?limit=2&before=${first.next}`)).json();
    expect(second.proofs.map((proof: { proofId: string }) => proof.proofId)).toEqual(ids.slice(2));
    expect(second.next).toBeNull();
    await cancelRun(service.redis, ids[1] as string, 'cancelled');
    const cancelled = (await get('/v1/proofs?state=cancelled')).json();
    expect(cancelled.proofs.map((proof: { proofId: string }) => proof.proofId)).toEqual([ids[1]]);
    expect((await get('/v1/proofs?state=other')).statusCode).toBe(400);
  });

  it('cancels a live proof, twice the same, and not an ended one', async () => {
    const { proofId } = (await post()).json();
    const cancel = () => app.inject({ method: 'DELETE', url: `/v1/proofs/${proofId}` });
    for (let i = 0; i < 2; i++) {
      const response = await cancel();
      expect([response.statusCode, response.json()]).toEqual([
        202,
        { proofId, state: 'cancelled' },
      ]);
    }
    const done = await finished();
    const late = await app.inject({ method: 'DELETE', url: `/v1/proofs/${done}` });
    expect([late.statusCode, late.json().found]).toEqual([409, 'succeeded']);
  });
});

describe('events', () => {
  it('arrive as they happen, can be resumed, and end with the run', async () => {
    const url = await app.listen({ host: '127.0.0.1', port: 0 });
    const { proofId } = (await post()).json();
    const read = async (headers: Record<string, string> = {}) => {
      const response = await fetch(`${url}/v1/proofs/${proofId}/events`, { headers });
      expect(response.headers.get('content-type')).toBe('text/event-stream');
      return response.text();
    };
    const reading = read();
    await ingestSays(null);
    await eventually(async () => (await readProof(service.redis, proofId))?.state === 'queued');
    await cancelRun(service.redis, proofId, 'cancelled');
    const frames = (await reading).trim().split('\n\n');
    const states = frames.map((frame) => /"state":"([a-z]+)"/.exec(frame)?.[1]).filter(Boolean);
    expect(states[0]).toBe('received');
    expect(states.at(-1)).toBe('cancelled');
    const second = /^id: (.+)$/m.exec(frames[1] as string)?.[1] as string;
    expect((await read({ 'last-event-id': second })).trim().split('\n\n')).toEqual(frames.slice(2));
  });
});

describe('POST /v1/verify', () => {
  const { registeredProof, commR, commD, ticket, seed } = GOLDEN;
  const body = {
    ...{ registeredProof, commR, commD, ticket, seed },
    miner: 'f01000',
    sector: 1,
    proof: Buffer.from(GOLDEN.proof).toString('base64'),
  };
  const verify = (changes: object = {}) =>
    app.inject({ method: 'POST', url: '/v1/verify', payload: { ...body, ...changes } });

  it('says yes to the golden proof and no to it for another sector', async () => {
    expect((await verify()).json()).toEqual({ verified: true, parameters: 'insecure-development' });
    expect((await verify({ sector: '2' })).json().verified).toBe(false);
    expect((await verify({ seed: commR })).json().verified).toBe(false);
  });

  it('refuses what is no proof or no statement', async () => {
    const flipped = Uint8Array.from(GOLDEN.proof);
    flipped[20] ^= 1;
    const bad: [object, number, string][] = [
      [{ proof: Buffer.from(flipped).toString('base64') }, 422, 'PROOF_MALFORMED'],
      [{ proof: Buffer.from(GOLDEN.proof.subarray(1)).toString('base64') }, 422, 'PROOF_MALFORMED'],
      [{ proof: '%%%%' }, 422, 'PROOF_MALFORMED'],
      [{ commD: '00'.repeat(32) }, 422, 'STATEMENT_INVALID'],
      [{ registeredProof: 'StackedDrg9GiBV1' }, 422, 'C1_UNSUPPORTED'],
      [{ commR: 'xyz' }, 400, 'REQUEST_INVALID'],
      [{ miner: 'nobody' }, 400, 'REQUEST_INVALID'],
      [{ registeredProof: 'StackedDrg32GiBV1_1' }, 503, 'PARAMS_MISSING'],
    ];
    for (const [changes, status, code] of bad) {
      const response = await verify(changes);
      expect([response.statusCode, response.json().code], JSON.stringify(changes)).toEqual([
        status,
        code,
      ]);
    }
  });
});

describe('operations', () => {
  it('is ready when a synth-worker and a gpu-worker are, and names what is missing', async () => {
    const none = await get('/readyz');
    expect([none.statusCode, none.json().waitingFor]).toEqual([
      503,
      ['no synth-worker is running', 'no gpu-worker is running'],
    ]);
    await worker.presence.publish({ ready: true, status: 'ready' });
    const gpu = await fleet.open('gpu-worker');
    const wantedFiles = ['/params/v28-x.params'];
    await gpu.presence.publish({ ready: false, status: 'no parameters', wantedFiles });
    const waiting = await get('/readyz');
    expect([waiting.statusCode, waiting.json().wantedFiles]).toEqual([503, wantedFiles]);
    expect(waiting.json().waitingFor[0]).toContain('no parameters');
    await gpu.presence.publish({
      ready: true,
      status: 'ready',
      circuits: [GOLDEN_CIRCUIT],
      parameters: 'insecure-development',
    });
    const ready = await get('/readyz');
    expect([ready.statusCode, ready.json().parameters]).toEqual([200, ['insecure-development']]);
  });

  it('serves health, metrics, the OpenAPI document and its page', async () => {
    expect((await get('/healthz')).json()).toEqual({ status: 'ok' });
    await get('/v1/proofs');
    const metrics = (await get('/metrics')).body;
    expect(metrics).toContain('cuzk_http_request_duration_seconds_bucket');
    expect(metrics).toContain('route="/v1/proofs"');
    const paths = Object.keys((await get('/docs/json')).json().paths);
    expect(paths).toEqual(
      expect.arrayContaining(['/v1/proofs', '/v1/proofs/{id}', '/v1/verify', '/readyz']),
    );
    expect((await get('/docs/')).body).toContain('swagger-ui');
  });

  it('answers 503 while Redis is away, within a moment', async () => {
    const own = await TestRedis.start();
    const other = new TestFleet(own.url);
    const alone = await other.open('api');
    const config = loadConfig(API_SETTINGS, { REDIS_URL: own.url });
    const lonely = await buildApp({
      service: alone,
      config,
      verifier,
      folders: paramsFoldersOf(config),
      callers: null,
    });
    await own.kill();
    const startedAt = performance.now();
    const response = await lonely.inject({ method: 'GET', url: '/v1/proofs' });
    expect(performance.now() - startedAt).toBeLessThan(3_000);
    expect([response.statusCode, response.json().code, response.headers['retry-after']]).toEqual([
      503,
      'REDIS_UNAVAILABLE',
      '5',
    ]);
    await own.restart();
    await eventually(
      async () => (await lonely.inject({ method: 'GET', url: '/v1/proofs' })).statusCode === 200,
    );
    await lonely.close();
    await other.close();
    await own.stop();
  });
});
