import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import S3rver from 's3rver';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { freePort } from '../testing/redis-server.ts';
import { openS3Store } from './s3-store.ts';
import { openStore } from './store-settings.ts';
import type { ArtifactStore } from './types.ts';

const folder = mkdtempSync(join(tmpdir(), 'cuzk-stores-'));
const environment = process.env;
let server: S3rver;
let endpoint = '';
let buckets = 0;

beforeAll(async () => {
  // The keys that this server knows.
  environment.AWS_ACCESS_KEY_ID = 'S3RVER';
  environment.AWS_SECRET_ACCESS_KEY = 'S3RVER';
  const port = await freePort();
  endpoint = `http://127.0.0.1:${port}`;
  server = new S3rver({ port, address: '127.0.0.1', silent: true, directory: join(folder, 's3') });
  await server.run();
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

async function openS3(): Promise<ArtifactStore> {
  const bucket = `bucket-${buckets++}`;
  const { S3Client, CreateBucketCommand } = await import('@aws-sdk/client-s3');
  const client = new S3Client({ endpoint, region: 'us-east-1', forcePathStyle: true });
  await client.send(new CreateBucketCommand({ Bucket: bucket }));
  return openStore({
    ...{ ARTIFACT_DIR: 'unused', ARTIFACT_STORE: 's3', S3_BUCKET: bucket },
    ...{
      S3_ENDPOINT: endpoint,
      S3_PREFIX: 'cuzk/',
      S3_CACHE_DIR: join(folder, `copies-${bucket}`),
    },
  });
}
const openFolder = (): Promise<ArtifactStore> =>
  openStore({ ARTIFACT_DIR: mkdtempSync(join(folder, 'folder-')) });

const bytes = (text: string): Uint8Array => Buffer.from(text);
const sha256 = (value: string | Uint8Array): string =>
  createHash('sha256').update(value).digest('hex');

describe.each([
  { name: 'folder', open: openFolder },
  { name: 's3', open: openS3 },
])('the $name store', ({ open }) => {
  let store: ArtifactStore;
  beforeEach(async () => {
    store = await open();
  });
  afterEach(async () => {
    for await (const { ref } of store.list('')) await store.delete(ref);
  });
  const names = async (prefix: string): Promise<string[]> => {
    const found: string[] = [];
    for await (const { ref } of store.list(prefix)) found.push(ref);
    return found;
  };

  it('gives back what was put, with its size and digest', async () => {
    const put = await store.put('proofs/x/c1.json', Readable.from([bytes('ab'), bytes('c')]));
    expect(put).toEqual({ ref: 'proofs/x/c1.json', bytes: 3, sha256: sha256('abc') });
    expect(Buffer.from(await store.get(put)).toString()).toBe('abc');
    expect(readFileSync(await store.localPath(put), 'utf8')).toBe('abc');
    expect(readFileSync(await store.locate(put), 'utf8')).toBe('abc');
    expect(readFileSync(await store.localPath(put), 'utf8')).toBe('abc');
    const stat = await store.stat(put.ref);
    expect(stat?.bytes).toBe(3);
    expect(Math.abs(Date.now() - (stat?.modifiedAt ?? 0))).toBeLessThan(60_000);
    expect((await store.put('empty', new Uint8Array(0))).bytes).toBe(0);
  });

  it('takes more than one part, and gives it back whole', async () => {
    const content = Buffer.alloc(20 * 2 ** 20, 'partition');
    const put = await store.put('proofs/x/large', content);
    expect(put).toMatchObject({ bytes: content.length, sha256: sha256(content) });
    expect(sha256(readFileSync(await store.localPath(put)))).toBe(put.sha256);
  });

  it('notices other bytes than it was promised, and a missing artifact', async () => {
    const put = await store.put('a/b', bytes('abcdef'));
    for (const damaged of ['abcdeg', 'abcde', 'abcdef!']) {
      await store.put('a/b', bytes(damaged));
      await expect(store.get(put)).rejects.toMatchObject({ code: 'ARTIFACT_DIGEST_MISMATCH' });
      await expect(store.localPath(put)).rejects.toMatchObject({
        code: 'ARTIFACT_DIGEST_MISMATCH',
      });
    }
    expect(await store.delete(put.ref)).toBe(true);
    await expect(store.locate(put)).rejects.toMatchObject({ code: 'ARTIFACT_MISSING' });
    await expect(store.get(put)).rejects.toMatchObject({ code: 'ARTIFACT_MISSING' });
    await expect(store.localPath(put)).rejects.toMatchObject({ code: 'ARTIFACT_MISSING' });
    expect(await store.delete(put.ref)).toBe(false);
    expect(await store.stat(put.ref)).toBeNull();
  });

  it('leaves nothing behind when the source fails', async () => {
    async function* failing() {
      yield bytes('half');
      throw new Error('the client went away');
    }
    const put = store.put('proofs/x/c1.json', Readable.from(failing()));
    await expect(put).rejects.toThrow('went away');
    expect(await store.stat('proofs/x/c1.json')).toBeNull();
    expect(await names('')).toEqual([]);
  });

  it('replaces as a whole', async () => {
    const old = await store.put('a', bytes('old'));
    const next = await store.put('a', bytes('new and longer'));
    expect(Buffer.from(await store.get(next)).toString()).toBe('new and longer');
    await expect(store.get(old)).rejects.toMatchObject({ code: 'ARTIFACT_DIGEST_MISMATCH' });
  });

  it('lists by prefix in name order', async () => {
    for (const ref of ['proofs/b/1', 'proofs/a/2', 'proofs/a/1', 'other/x']) {
      await store.put(ref, bytes(ref));
    }
    expect(await names('proofs/')).toEqual(['proofs/a/1', 'proofs/a/2', 'proofs/b/1']);
    expect(await names('proofs/a/')).toEqual(['proofs/a/1', 'proofs/a/2']);
    expect(await names('')).toHaveLength(4);
    expect(await names('nothing')).toEqual([]);
  });

  it('refuses names that lead elsewhere', async () => {
    for (const ref of ['../x', '/etc/passwd', 'a/../../x', 'a//b', '', '.writing/x', 'a\\b']) {
      await expect(store.put(ref, bytes('x')), ref).rejects.toThrow(RangeError);
    }
  });
});

describe('a bucket', () => {
  it('must be named', async () => {
    const nameless = openStore({ ARTIFACT_DIR: 'unused', ARTIFACT_STORE: 's3' });
    await expect(nameless).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  });

  /** The store in front of a server that does this with each connection. */
  async function openAway(onConnection: (socket: Socket) => void): Promise<ArtifactStore> {
    const away = createServer(onConnection);
    await new Promise<void>((resolve) => away.listen(0, '127.0.0.1', resolve));
    const { port } = away.address() as AddressInfo;
    aways.push(away);
    return openS3Store({
      ...{ bucket: 'b', endpoint: `http://127.0.0.1:${port}`, region: 'us-east-1', prefix: '' },
      ...{ cacheDir: join(folder, 'copies-away'), silentMs: 300 },
    });
  }
  const aways: Server[] = [];
  afterEach(() => {
    for (const away of aways.splice(0)) away.close();
  });

  it.each<[string, (socket: Socket) => void]>([
    ['says nothing', () => {}],
    ['resets', (socket) => socket.resetAndDestroy()],
    ['fails', (socket) => socket.once('data', () => socket.end('HTTP/1.1 500 No\r\n\r\n'))],
    [
      'breaks off',
      (socket) =>
        socket.once('data', () => {
          socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf');
        }),
    ],
  ])(
    'whose server %s lets the work wait',
    async (how, onConnection) => {
      const store = await openAway(onConnection);
      const artifact = { ref: 'a', bytes: 9, sha256: 'a'.repeat(64) };
      const away = { code: 'CAPACITY_EXHAUSTED', message: expect.stringContaining('not answer') };
      await expect(store.get(artifact)).rejects.toMatchObject(away);
      if (how === 'breaks off') return;
      await expect(store.put('a', bytes('a'))).rejects.toMatchObject(away);
      await expect(store.stat('a')).rejects.toMatchObject(away);
      await expect(store.list('')[Symbol.asyncIterator]().next()).rejects.toMatchObject(away);
    },
    20_000,
  );

  it('is not blamed for a client that went away while its bytes came', async () => {
    const store = await openS3();
    const gone = Object.assign(new Error('aborted'), { code: 'ECONNRESET' });
    async function* failing() {
      yield bytes('half');
      throw gone;
    }
    await expect(store.put('a', Readable.from(failing()))).rejects.toBe(gone);
  });
});
