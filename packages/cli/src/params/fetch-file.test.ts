import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { fetchFile } from './fetch-file.ts';

const content = Buffer.from(Array.from({ length: 300_000 }, (_, i) => (i * 31 + (i >> 8)) & 255));
const digest = createHash('blake2b512').update(content).digest('hex').slice(0, 32);

const servers: ReturnType<typeof createServer>[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/file`;
}

/** A server that knows ranges; `seen` gets what was asked for, `cutAt` ends the connection after so many bytes. */
const ranges =
  (bytes: Buffer, seen: string[], cutAt?: number): RequestListener =>
  (request, response) => {
    seen.push(request.headers.range ?? 'all');
    const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0);
    if (from >= bytes.length) return response.writeHead(416).end();
    response.writeHead(from > 0 ? 206 : 200, {
      'content-length': bytes.length - from,
      ...(from > 0 ? { 'content-range': `bytes ${from}-${bytes.length - 1}/${bytes.length}` } : {}),
    });
    if (cutAt === undefined) return response.end(bytes.subarray(from));
    response.write(bytes.subarray(from, from + cutAt), () => response.destroy());
  };

function target() {
  const path = join(mkdtempSync(join(tmpdir(), 'cuzk-fetch-')), 'folder', 'v28-x.params');
  const lines: string[] = [];
  const progress: [number, number][] = [];
  const fetchFrom = (urls: string[], signal = new AbortController().signal) =>
    fetchFile(
      { path, digest, urls },
      {
        signal,
        onBytes: (done, total) => progress.push([done, total]),
        onLine: (line) => lines.push(line),
      },
    );
  return { path, partial: `${path}.partial`, lines, progress, fetchFrom };
}

describe('fetching a published file', () => {
  it('writes it whole, and says how far it is', async () => {
    const { path, partial, progress, fetchFrom } = target();
    await fetchFrom([await serve(ranges(content, []))]);
    expect(readFileSync(path).equals(content)).toBe(true);
    expect(existsSync(partial)).toBe(false);
    expect(progress.at(-1)).toEqual([content.length, content.length]);
  });

  it('is done by one process at a time: two would write into one another', async () => {
    const { path, fetchFrom } = target();
    const slow = await serve(async (request, response) => {
      const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0);
      response.writeHead(from > 0 ? 206 : 200, {
        'content-length': content.length - from,
        'content-range': `bytes ${from}-${content.length - 1}/${content.length}`,
      });
      for (let at = from; at < content.length; at += 30_000) {
        response.write(content.subarray(at, at + 30_000));
        await new Promise((resolve) => setTimeout(resolve, 30));
      }
      response.end();
    });
    const first = fetchFrom([slow]);
    await new Promise((resolve) => setTimeout(resolve, 120));
    const second = await fetchFrom([slow]).catch((error: unknown) => error);
    await first;
    expect(readFileSync(path).equals(content)).toBe(true);
    expect(second).toMatchObject({ code: 'SETUP_FAILED' });
    await fetchFrom([slow]);
    expect(readFileSync(path).equals(content)).toBe(true);
  });

  it('goes on where the connection broke, on the same mirror later or on the next one', async () => {
    const { path, partial, lines, fetchFrom } = target();
    const seen: string[] = [];
    const broken = await serve(ranges(content, seen, 100_000));
    await expect(fetchFrom([broken])).rejects.toMatchObject({ code: 'PARAMS_MISSING' });
    expect(existsSync(path)).toBe(false);
    const part = readFileSync(partial).length;
    expect(part).toBeGreaterThan(0);
    await fetchFrom([broken, await serve(ranges(content, seen))]);
    expect(readFileSync(path).equals(content)).toBe(true);
    expect(seen[0]).toBe('all');
    expect(seen[1]).toBe(`bytes=${part}-`);
    expect(seen[2]).toMatch(/^bytes=\d+-$/);
    expect(lines.length).toBeGreaterThan(1);
  });

  it('begins anew where the server gives the whole file only', async () => {
    const { path, partial, fetchFrom } = target();
    const broken = await serve(ranges(content, [], 1000));
    await expect(fetchFrom([broken])).rejects.toThrow();
    expect(existsSync(partial)).toBe(true);
    await fetchFrom([await serve((_request, response) => response.end(content))]);
    expect(readFileSync(path).equals(content)).toBe(true);
  });

  it('begins anew where what was there is of another file, also when it is longer', async () => {
    for (const rest of [content.subarray(7, 1000), Buffer.alloc(content.length + 5)]) {
      const { path, partial, lines, fetchFrom } = target();
      const url = await serve(ranges(content, []));
      await fetchFrom([url]);
      writeFileSync(partial, rest);
      await fetchFrom([url]);
      expect(readFileSync(path).equals(content)).toBe(true);
      expect(lines).toContainEqual(expect.stringContaining('from the start'));
    }
  });

  it('refuses another file, keeps nothing of it, and takes the right one from the next mirror', async () => {
    const other = Buffer.from(content);
    other[1234] ^= 1;
    const wrong = await serve(ranges(other, []));
    const { path, partial, fetchFrom } = target();
    await expect(fetchFrom([wrong])).rejects.toMatchObject({
      code: 'PARAMS_DIGEST_MISMATCH',
      facts: { expected: digest },
    });
    expect([existsSync(path), existsSync(partial)]).toEqual([false, false]);
    await fetchFrom([wrong, await serve(ranges(content, []))]);
    expect(readFileSync(path).equals(content)).toBe(true);
  });

  it('says what every mirror answered', async () => {
    const { fetchFrom } = target();
    const gone = await serve((_request, response) => response.writeHead(404).end());
    const error = await fetchFrom([gone, 'http://127.0.0.1:9/x']).catch((e: unknown) => e);
    expect(error).toMatchObject({ code: 'PARAMS_MISSING' });
    expect((error as { facts: { found: string } }).facts.found).toMatch(/404.*127\.0\.0\.1:9/);
  });

  it('says before it begins that the disk has too little room', async () => {
    const { partial, fetchFrom } = target();
    const huge = await serve((_request, response) => {
      response.writeHead(200, { 'content-length': String(2 ** 60) });
      response.flushHeaders();
    });
    await expect(fetchFrom([huge])).rejects.toMatchObject({
      code: 'DISK_FULL',
      facts: { expected: expect.stringContaining(String(2 ** 60)) },
    });
    expect(readFileSync(partial)).toHaveLength(0);
  });

  it('ends with the reason of the signal', async () => {
    const { fetchFrom } = target();
    const controller = new AbortController();
    const slow = await serve((_request, response) => {
      response.writeHead(200, { 'content-length': 10 });
      response.write('x', () => controller.abort(new Error('stopped by SIGINT')));
    });
    await expect(fetchFrom([slow], controller.signal)).rejects.toThrow('SIGINT');
  });
});
