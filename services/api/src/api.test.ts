import { loadConfig } from '@cuzk/service-kit/config/load-config';
import { paramsFoldersOf } from '@cuzk/service-kit/config/parameter-settings';
import { GOLDEN_CIRCUIT } from '@cuzk/service-kit/testing/golden-prover';
import { eventually, TestFleet } from '@cuzk/service-kit/testing/open-test-service';
import { TestRedis } from '@cuzk/service-kit/testing/redis-server';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { buildApp } from './build-app.ts';
import { API_SETTINGS } from './config.ts';
import { BareApi, GOLDEN } from './testing/bare-api.ts';

let api: BareApi;
beforeAll(async () => {
  api = await BareApi.open();
});
afterAll(() => api.close());
beforeEach(() => api.renew());
afterEach(() => api.clear());

describe('POST /v1/verify', () => {
  const { registeredProof, commR, commD, ticket, seed } = GOLDEN;
  const body = {
    ...{ registeredProof, commR, commD, ticket, seed },
    miner: 'f01000',
    sector: 1,
    proof: Buffer.from(GOLDEN.proof).toString('base64'),
  };
  const verify = (changes: object = {}) =>
    api.app.inject({ method: 'POST', url: '/v1/verify', payload: { ...body, ...changes } });

  it('says yes to the golden proof and no to it for another sector', async () => {
    expect((await verify()).json()).toEqual({ verified: true, parameters: 'insecure-development' });
    expect((await verify({ sector: '2' })).json().verified).toBe(false);
    expect((await verify({ seed: commR })).json().verified).toBe(false);
  });

  it('refuses a sector number that JSON has rounded, and takes it as text', async () => {
    const post = (sector: string) =>
      api.app.inject({
        method: 'POST',
        url: '/v1/verify',
        headers: { 'content-type': 'application/json' },
        payload: JSON.stringify({ ...body, sector: 0 }).replace('"sector":0', `"sector":${sector}`),
      });
    expect((await post('9007199254740993')).json()).toMatchObject({
      code: 'REQUEST_INVALID',
      pointer: '/sector',
    });
    for (const sector of ['9007199254740991', '"9007199254740993"', '"18446744073709551615"']) {
      expect((await post(sector)).json(), sector).toMatchObject({ verified: false });
    }
  });

  it('lets no more wait than is good for its memory, and says so to the rest', async () => {
    const answers = await Promise.all(Array.from({ length: 40 }, () => verify()));
    const count = (status: number) => answers.filter((each) => each.statusCode === status).length;
    expect([count(200), count(503)]).toEqual([32, 8]);
    const refused = answers.find((each) => each.statusCode === 503);
    expect([refused?.json().code, refused?.headers['retry-after']]).toEqual([
      'CAPACITY_EXHAUSTED',
      '5',
    ]);
    expect((await verify()).statusCode).toBe(200);
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
    const none = await api.get('/readyz');
    expect([none.statusCode, none.json().waitingFor]).toEqual([
      503,
      ['no synth-worker is running', 'no gpu-worker is running'],
    ]);
    await api.worker.presence.publish({ ready: true, status: 'ready' });
    const gpu = await api.fleet.open('gpu-worker');
    const wantedFiles = ['/params/v28-x.params'];
    await gpu.presence.publish({ ready: false, status: 'no parameters', wantedFiles });
    const waiting = await api.get('/readyz');
    expect([waiting.statusCode, waiting.json().wantedFiles]).toEqual([503, wantedFiles]);
    expect(waiting.json().waitingFor[0]).toContain('no parameters');
    await gpu.presence.publish({
      ready: true,
      status: 'ready',
      circuits: [GOLDEN_CIRCUIT],
      parameters: 'insecure-development',
    });
    const ready = await api.get('/readyz');
    expect([ready.statusCode, ready.json().parameters]).toEqual([200, ['insecure-development']]);
  });

  it('serves health, metrics, the OpenAPI document and its page', async () => {
    expect((await api.get('/healthz')).json()).toEqual({ status: 'ok' });
    await api.get('/v1/proofs');
    const metrics = (await api.get('/metrics')).body;
    expect(metrics).toContain('cuzk_http_request_duration_seconds_bucket');
    expect(metrics).toContain('route="/v1/proofs"');
    const paths = Object.keys((await api.get('/docs/json')).json().paths);
    expect(paths).toEqual(
      expect.arrayContaining(['/v1/proofs', '/v1/proofs/{id}', '/v1/verify', '/readyz']),
    );
    expect((await api.get('/docs/')).body).toContain('swagger-ui');
  });

  it('answers 503 while Redis is away, within a moment', async () => {
    const own = await TestRedis.start();
    const other = new TestFleet(own.url);
    const alone = await other.open('api');
    const config = loadConfig(API_SETTINGS, { REDIS_URL: own.url });
    const lonely = await buildApp({
      service: alone,
      config,
      verifier: api.verifier,
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
