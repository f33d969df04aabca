import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { waitForReady } from './wait-for-ready.ts';

const servers: ReturnType<typeof createServer>[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

/** A server whose /readyz answers 503 with the given reasons, one after the other, then 200. */
async function serve(...reasons: string[]): Promise<string> {
  const server = createServer((_request, response) => {
    const reason = reasons.shift();
    response.writeHead(reason === undefined ? 200 : 503).end(reason ?? 'ready');
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const options = (seen: string[], timeoutMs = 10_000) => ({
  timeoutMs,
  signal: new AbortController().signal,
  check: () => {},
  onReason: (reason: string) => seen.push(reason),
});

describe('waiting until the system is ready', () => {
  it('reports a reason once, not every change at once, and ends with the first 200', async () => {
    const seen: string[] = [];
    const reasons = ['no gpu-worker', 'no gpu-worker', 'loading 1 %', 'loading 2 %'];
    await waitForReady(await serve(...reasons), options(seen));
    expect(seen).toEqual(['no gpu-worker']);
  });

  it('shows what a worker and what the API says of itself', async () => {
    const seen: string[] = [];
    await waitForReady(await serve('{"ready":false,"status":"testing the device"}'), options(seen));
    await waitForReady(await serve('{"waitingFor":["no gpu-worker is running"]}'), options(seen));
    expect(seen).toEqual(['testing the device', 'no gpu-worker is running']);
  });

  it('gives up with the last reason', async () => {
    const forever = Array.from({ length: 100 }, () => 'no parameters');
    await expect(waitForReady(await serve(...forever), options([], 100))).rejects.toMatchObject({
      code: 'SETUP_FAILED',
      facts: { found: 'no parameters' },
    });
  });

  it('passes on what check throws and why the signal aborted', async () => {
    const url = await serve('starting');
    const check = (): void => {
      throw new Error('gpu-worker ended');
    };
    await expect(waitForReady(url, { ...options([]), check })).rejects.toThrow('gpu-worker ended');
    const signal = AbortSignal.abort(new Error('stopped by SIGINT'));
    await expect(waitForReady(url, { ...options([]), signal })).rejects.toThrow('SIGINT');
  });
});
