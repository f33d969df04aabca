import { gzipSync } from 'node:zlib';
import { readProof } from '@cuzk/service-kit/record/read-proof';
import type { InjectOptions } from 'fastify';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { BareApi, GOLDEN, MAX_BODY_BYTES } from './testing/bare-api.ts';

let api: BareApi;
beforeAll(async () => {
  api = await BareApi.open();
});
afterAll(() => api.close());
beforeEach(() => api.renew());
afterEach(() => api.clear());

const wrapper = (c1: Uint8Array, more: object = {}) =>
  JSON.stringify({
    SectorNum: 1,
    Phase1Out: Buffer.from(c1).toString('base64'),
    SectorSize: 2048,
    ...more,
  });

describe('POST /v1/proofs', () => {
  it('answers 202 with an id once ingest has found the C1 good', async () => {
    await api.ingestSays(null);
    const response = await api.post();
    expect(response.statusCode).toBe(202);
    const { proofId, state, joined, links } = response.json();
    expect([state, joined]).toEqual(['queued', false]);
    expect(response.headers.location).toBe(`/v1/proofs/${proofId}`);
    expect(links.result).toBe(`/v1/proofs/${proofId}/result`);
    const proof = await readProof(api.service.redis, proofId);
    expect(
      Buffer.from(await api.service.artifacts.get(proof?.c1 as never)).equals(
        Buffer.from(GOLDEN.c1),
      ),
    ).toBe(true);
  });

  it('answers with the problem when ingest refuses the C1 within the wait', async () => {
    await api.ingestSays({
      code: 'C1_MALFORMED',
      message: 'too short',
      pointer: '/seed',
      expected: '32',
      found: '31',
    });
    const response = await api.post();
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
    const again = await api.get(`${response.headers.location}`);
    expect(again.json()).toMatchObject({
      state: 'failed',
      error: { code: 'C1_MALFORMED', pointer: '/seed' },
    });
  });

  it('answers 202 as received when the verdict takes longer', async () => {
    const startedAt = performance.now();
    const response = await api.post();
    expect([response.statusCode, response.json().state]).toEqual([202, 'received']);
    expect(performance.now() - startedAt).toBeGreaterThan(400);
  });

  it('takes gzip, the wrapper, its gzip, and names in headers, all as the same work', async () => {
    await api.ingestSays(null);
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
    for (const variant of variants) answers.push(await api.post(variant));
    expect(answers.map((response) => response.statusCode)).toEqual(variants.map(() => 202));
    const bodies = answers.map((response) => response.json());
    expect(new Set(bodies.map((body) => body.proofId)).size).toBe(1);
    expect(bodies.map((body) => body.joined)).toEqual([false, ...Array(7).fill(true)]);
    expect(await api.storedRefs()).toEqual([`proofs/${bodies[0].proofId}/c1.json`]);
  });

  it('lets the same C1, sent again with a more urgent class, go before others', async () => {
    const url = (sector: number, priority: string) =>
      `/v1/proofs?miner=f01000&sector=${sector}&priority=${priority}`;
    const other = await api.post({ url: url(1, 'normal') });
    const own = await api.post({ url: url(2, 'low') });
    const order = async (): Promise<string[]> =>
      (await api.service.queues.waitingJobIds('ingest')).map((id) => id.split('.')[0] ?? '');
    const ids = [other, own].map((response) => response.json().proofId);
    expect(await order()).toEqual(ids);
    const again = await api.post({ url: url(2, 'high') });
    expect(again.json()).toMatchObject({ joined: true, proofId: ids[1] });
    expect(await order()).toEqual(ids.toReversed());
    expect((await api.get(`/v1/proofs/${ids[1]}`)).json().priority).toBe('high');
  });

  it('takes another sector of the same C1 as other work', async () => {
    const first = await api.post();
    const second = await api.post({ url: '/v1/proofs?miner=f01000&sector=2' });
    expect(second.json().joined).toBe(false);
    expect(second.json().proofId).not.toBe(first.json().proofId);
  });

  it('keeps an idempotency key to one content', async () => {
    await api.ingestSays({ code: 'C1_MALFORMED', message: 'bad' });
    const headers = { 'content-type': 'application/json', 'idempotency-key': 'k1' };
    const first = await api.post({ headers });
    const again = await api.post({ headers });
    expect([again.statusCode, again.headers.location]).toEqual([422, first.headers.location]);
    const other = await api.post({ headers, url: '/v1/proofs?miner=f01000&sector=2' });
    expect([other.statusCode, other.json().code]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
    const ids = (await api.get('/v1/proofs')).json().proofs;
    expect((await api.storedRefs()).length).toBe(ids.length);
    expect((await api.post()).headers.location).not.toBe(first.headers.location);
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
      const response = await api.post(changes);
      expect(response.json()).toMatchObject({
        status,
        code,
        ...(pointer === undefined ? {} : { pointer }),
      });
      expect(response.statusCode).toBe(status);
      expect(response.headers['content-type']).toContain('application/problem+json');
      expect(await api.storedRefs()).toEqual([]);
      expect(await api.service.redis.zcard('{cuzk}:proofs')).toBe(0);
    },
  );

  it('counts the bytes of a body without a length', async () => {
    const url = await api.app.listen({ host: '127.0.0.1', port: 0 });
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
    expect(await api.storedRefs()).toEqual([]);
  });
});
