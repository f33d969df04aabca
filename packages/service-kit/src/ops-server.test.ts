import { CuzkError } from '@cuzk/core/errors';
import { afterEach, expect, it } from 'vitest';
import type { Liveness } from './liveness.ts';
import { createMetrics } from './metrics.ts';
import { MetricsPage } from './metrics-page.ts';
import { type OpsServer, startOpsServer } from './ops-server.ts';
import { NO_METRICS_PAGE } from './testing/open-test-service.ts';

let server: OpsServer;
afterEach(() => server.close());

const start = async (pages: Partial<Parameters<typeof startOpsServer>[2]> = {}, alive = true) => {
  const metricsPage = await MetricsPage.open(createMetrics('test', 'test'), NO_METRICS_PAGE);
  const check = async () => ({
    alive,
    status: alive ? 'ok' : 'no answer on the connection of queue prove',
  });
  server = await startOpsServer(
    { host: '127.0.0.1', port: 0 },
    { metricsPage, liveness: { check } as Liveness },
    { readiness: () => ({ ready: true, status: 'ready' }), finish: async () => {}, ...pages },
  );
  return `http://127.0.0.1:${server.port}`;
};

it('a worker answers for its health, its readiness and its metrics', async () => {
  const url = await start({ readiness: async () => ({ ready: false, status: 'no parameters' }) });
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
  const ready = await fetch(`${url}/readyz`);
  expect([ready.status, await ready.json()]).toEqual([
    503,
    { ready: false, status: 'no parameters' },
  ]);
  expect(await (await fetch(`${url}/metrics`)).text()).toContain('target_info');
  expect((await fetch(`${url}/nothing`)).status).toBe(404);
  expect((await fetch(`${url}/healthz`, { method: 'DELETE' })).status).toBe(405);
});

it('a worker that waits on a dead connection is not alive', async () => {
  const url = await start({}, false);
  const answer = await fetch(`${url}/healthz`);
  expect([answer.status, await answer.json()]).toMatchObject([503, { alive: false }]);
});

it('a readiness that cannot be told is none', async () => {
  const url = await start({ readiness: () => Promise.reject(new Error('Redis is away')) });
  const answer = await fetch(`${url}/readyz`);
  expect([answer.status, await answer.json()]).toEqual([503, { error: 'Redis is away' }]);
});

it('a worker told to finish answers when its work has ended, once, and is not ready from then on', async () => {
  let end: () => void = () => {};
  let calls = 0;
  const url = await start({
    finish: () => {
      calls += 1;
      return new Promise((resolve) => {
        end = resolve;
      });
    },
  });
  const finish = () => fetch(`${url}/finish`, { method: 'POST' });
  let answered = false;
  const both = Promise.all([finish(), finish()]).then((answers) => {
    answered = true;
    return answers;
  });
  await expect.poll(async () => (await fetch(`${url}/readyz`)).status).toBe(503);
  expect(answered).toBe(false);
  end();
  expect((await both).map(({ status }) => status)).toEqual([200, 200]);
  expect(calls).toBe(1);
});

it('a worker with a device tells what it holds, and takes orders about it', async () => {
  const orders: string[] = [];
  const url = await start({
    circuits: {
      list: async () => [{ sector: '2KiB', users: 0 }],
      preload: async (sector) => {
        orders.push(`preload ${sector}`);
        throw new CuzkError('GPU_OUT_OF_MEMORY', 'too small', { expected: '5 bytes', found: '4' });
      },
      evict: async (sector) => {
        orders.push(`evict ${sector}`);
        return true;
      },
    },
  });
  const list = await fetch(`${url}/circuits`);
  expect([list.status, await list.json()]).toEqual([
    200,
    { circuits: [{ sector: '2KiB', users: 0 }] },
  ]);
  const post = (path: string) => fetch(`${url}${path}`, { method: 'POST' });
  const evicted = await post('/circuits/2KiB/evict');
  expect([evicted.status, await evicted.json()]).toEqual([200, { wasLoaded: true }]);
  const refused = await post('/circuits/32GiB/preload');
  expect([refused.status, await refused.json()]).toMatchObject([
    503,
    { code: 'GPU_OUT_OF_MEMORY', expected: '5 bytes', found: '4' },
  ]);
  expect(orders).toEqual(['evict 2KiB', 'preload 32GiB']);
  for (const path of ['/circuits', '/circuits/2KiB', '/circuits/2KiB/burn', '/circuits/../evict']) {
    expect((await post(path)).status).toBe(405);
  }
});

it('a worker without a device has no circuits', async () => {
  const url = await start();
  expect((await fetch(`${url}/circuits`)).status).toBe(404);
  expect((await fetch(`${url}/circuits/2KiB/evict`, { method: 'POST' })).status).toBe(405);
});
