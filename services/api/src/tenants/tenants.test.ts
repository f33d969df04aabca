import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readProof } from '@cuzk/service-kit/record/read-proof';
import { cancelRun, waitingUnits } from '@cuzk/service-kit/record/run-control';
import { eventually } from '@cuzk/service-kit/testing/open-test-service';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TestApi } from '../testing/open-test-api.ts';
import { readTenants } from './tenants-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'cuzk-tenants-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const digest = (key: string) => createHash('sha256').update(key).digest('hex');
function file(content: unknown): string {
  const path = join(folder, 'tenants.json');
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}
const TENANTS = {
  tenants: [
    { name: 'alpha', keySha256: [digest('key-a')], weight: 3, maxLiveProofs: 2 },
    { name: 'beta', keySha256: [digest('key-b1'), digest('key-b2')] },
    { name: 'ops', keySha256: [digest('key-o')], operator: true },
  ],
};
const as = (key: string) => ({ headers: { authorization: `Bearer ${key}` } });

describe('the file of tenants', () => {
  it('gives callers by the digest of their keys', () => {
    const callers = readTenants(file(TENANTS));
    expect(callers.get(digest('key-a'))).toEqual({
      tenant: { name: 'alpha', weight: 3, maxLiveProofs: 2 },
      operator: false,
    });
    expect(callers.get(digest('key-b2'))?.tenant.name).toBe('beta');
    expect(callers.get('key-a')).toBeUndefined();
  });

  it.each([
    ['not JSON', '{"tenants": [', /cannot be read/],
    ['no tenants', { tenants: [] }, /tenants/],
    ['a key in plain text', { tenants: [{ name: 'a', keySha256: ['secret'] }] }, /keySha256/],
    [
      'a misspelt member',
      { tenants: [{ name: 'a', keySha256: [digest('x')], wieght: 2 }] },
      /\/tenants\/0/,
    ],
    [
      'two things at once',
      { tenants: [{ name: 'A B', keySha256: [digest('x')], weight: 0 }] },
      /name.*weight|weight.*name/s,
    ],
    [
      'one key for two tenants',
      { tenants: ['a', 'b'].map((name) => ({ name, keySha256: [digest('x')] })) },
      /a key of b is there twice/,
    ],
  ])('is refused with all its problems: %s', (_name, content, message) => {
    expect(() => readTenants(file(content))).toThrow(message);
  });
});

describe('requests with keys', () => {
  let api: TestApi;
  beforeEach(async () => {
    api = await TestApi.open(readTenants(file(TENANTS)));
  });
  afterEach(() => api.close());

  it('need a known key, in either header', async () => {
    for (const headers of [
      {},
      { authorization: 'Bearer nobody' },
      { 'x-api-key': digest('key-a') },
    ]) {
      const refused = await api.submit(1, '', { headers: headers as Record<string, string> });
      expect([refused.statusCode, refused.json().code]).toEqual([401, 'UNAUTHORIZED']);
    }
    expect((await api.submit(1, '', as('key-a'))).statusCode).toBe(202);
    expect((await api.submit(2, '', { headers: { 'x-api-key': 'key-b2' } })).statusCode).toBe(202);
    expect((await api.call('GET', '/healthz')).statusCode).toBe(200);
  });

  it('see, cancel and join only what is theirs; an operator sees all', async () => {
    const a = (await api.submit(1, '', as('key-a'))).json();
    const b = (await api.submit(1, '', as('key-b1'))).json();
    expect(b.proofId).not.toBe(a.proofId);
    expect((await api.submit(1, '', as('key-b2'))).json().proofId).toBe(b.proofId);
    for (const [method, url] of [
      ['GET', a.links.self],
      ['DELETE', a.links.self],
      ['GET', a.links.result],
      ['GET', a.links.events],
      ['POST', `${a.links.self}/retry`],
      ['GET', `${a.links.self}/verification`],
    ] as const) {
      expect([url, (await api.call(method, url, as('key-b1').headers)).statusCode]).toEqual([
        url,
        404,
      ]);
    }
    const listed = async (key: string) =>
      (await api.call('GET', '/v1/proofs', as(key).headers))
        .json()
        .proofs.map(({ proofId }: { proofId: string }) => proofId);
    expect(await listed('key-a')).toEqual([a.proofId]);
    expect(await listed('key-o')).toEqual([b.proofId, a.proofId]);
    expect((await api.call('GET', '/v1/status', as('key-a').headers)).statusCode).toBe(401);
    expect((await api.call('GET', '/v1/status', as('key-o').headers)).statusCode).toBe(200);
  });

  it('are 429 with Retry-After past the limit of the tenant, and go well again below it', async () => {
    const first = await api.submit(1, '', as('key-a'));
    await api.submit(2, '', as('key-a'));
    const third = await api.submit(3, '', as('key-a'));
    expect([third.statusCode, third.json().code]).toEqual([429, 'QUOTA_EXCEEDED']);
    expect(Number(third.headers['retry-after'])).toBeGreaterThan(0);
    expect((await api.submit(3, '', as('key-b1'))).statusCode).toBe(202);
    await api.call('DELETE', first.json().links.self, as('key-a').headers);
    expect((await api.submit(3, '', as('key-a'))).statusCode).toBe(202);
  });

  it('are held to the limit of whose proof it is by another run, whoever asks for that', async () => {
    const deadline = new Date(Date.now() + 1_500).toISOString();
    const late = (await api.submit(1, `&deadline=${deadline}`, as('key-a'))).json();
    await eventually(async () => {
      await waitingUnits(api.service.redis, late.proofId).then(({ expired }) =>
        expired ? cancelRun(api.service.redis, late.proofId, 'expired') : null,
      );
      return (await readProof(api.service.redis, late.proofId))?.state === 'expired';
    });
    for (const sector of [2, 3]) await api.submit(sector, '', as('key-a'));
    for (const key of ['key-a', 'key-o']) {
      const again = await api.call('POST', `${late.links.self}/retry`, as(key).headers);
      expect([again.statusCode, again.json().code]).toEqual([429, 'QUOTA_EXCEEDED']);
    }
  });

  it('have idempotency keys of their own', async () => {
    const keyed = (key: string) => ({
      headers: { ...as(key).headers, 'idempotency-key': 'same' },
    });
    const a = await api.submit(1, '', keyed('key-a'));
    const b = await api.submit(2, '', keyed('key-b1'));
    expect([a.statusCode, b.statusCode]).toEqual([202, 202]);
  });
});
