import { join } from 'node:path';
import { loadConfig } from '@cuzk/service-kit/config/load-config';
import type { Service } from '@cuzk/service-kit/open-service';
import { readGoldenCase } from '@cuzk/service-kit/testing/golden-case';
import { TestFleet } from '@cuzk/service-kit/testing/open-test-service';
import { freePort, TestRedis } from '@cuzk/service-kit/testing/redis-server';
import { ingested } from '@cuzk/service-kit/testing/sample-proof';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { API_SETTINGS } from './config.ts';
import { type RunningApi, startApi } from './start-api.ts';

const GOLDEN = readGoldenCase('2KiB-V1_1-a');
let server: TestRedis;
let fleet: TestFleet;
let client: Service;
let api: RunningApi;

beforeAll(async () => {
  server = await TestRedis.start();
});
afterAll(() => server.stop());
beforeEach(async () => {
  fleet = new TestFleet(server.url);
  client = await fleet.open('synth-worker');
  await client.redis.flushall();
});
afterEach(async () => {
  await api.stop();
  await fleet.close();
});

async function start(settings: Record<string, string> = {}): Promise<void> {
  const environment = {
    REDIS_URL: server.url,
    ARTIFACT_DIR: join(fleet.folder, 'artifacts'),
    CUZK_CACHE_DIR: join(fleet.folder, 'cache'),
    LOG_LEVEL: 'silent',
    PORT: '0',
    INGEST_WAIT_MS: '0',
    ...settings,
  };
  api = await startApi(loadConfig(API_SETTINGS, environment));
}

const get = async (path: string, headers: Record<string, string> = {}) => {
  const response = await fetch(`${api.url}${path}`, { headers });
  return { status: response.status, body: await response.text(), headers: response.headers };
};

describe('the API', () => {
  it('names the trace of a proof in the answer and in the record, also where nothing is exported', async () => {
    await start();
    const post = (headers: Record<string, string> = {}) =>
      fetch(`${api.url}/v1/proofs?miner=f01000&sector=1`, {
        method: 'POST',
        headers,
        body: Buffer.from(GOLDEN.c1),
      });
    const first = await post();
    const traceId = first.headers.get('x-cuzk-trace-id');
    expect(traceId).toMatch(/^[0-9a-f]{32}$/);
    const { proofId } = (await first.json()) as { proofId: string };
    expect(JSON.parse((await get(`/v1/proofs/${proofId}`)).body).traceId).toBe(traceId);
    // Who joins it is told where its work is, whatever trace the request itself is part of.
    const joined = await post({ traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` });
    expect(joined.headers.get('x-cuzk-trace-id')).toBe(traceId);
  });

  it('lists the events so far for those who ask for JSON', async () => {
    await start();
    const proofId = await ingested(client.redis, 2);
    const { body } = await get(`/v1/proofs/${proofId}/events`, { accept: 'application/json' });
    const { events } = JSON.parse(body) as { events: { type: string; at: number }[] };
    expect(events.map(({ type }) => type)).toEqual([
      'state',
      'claimed',
      'state',
      'partition',
      'partition',
    ]);
    expect(events.every(({ at }) => at > 1.7e12)).toBe(true);
  });

  it('asks for as many workers as drain the work in time, as JSON and as a metric', async () => {
    await start({ DRAIN_HORIZON_MS: '600000' });
    expect(JSON.parse((await get('/v1/autoscale')).body)).toEqual({
      horizonSeconds: 600,
      'synth-worker': { desired: 0, pending: 0, running: 0, unitsPerWorker: 1 },
      'gpu-worker': { desired: 0, pending: 0, running: 0, unitsPerWorker: 1 },
    });
    await ingested(client.redis, 100);
    await client.redis.lpush('{cuzk}:durations:prove:circuit', 30_000);
    const scale = JSON.parse((await get('/v1/autoscale')).body);
    expect(scale['gpu-worker']).toMatchObject({ desired: 6, pending: 100, running: 0 });
    expect(scale['synth-worker'].desired).toBe(1);
    const metrics = (await get('/metrics')).body;
    expect(metrics).toContain('cuzk_autoscale_workers{role="gpu-worker"} 6');
  });

  it('is ready as a process before it has workers, and says so to orchestrators only', async () => {
    await start();
    expect((await get('/readyz')).status).toBe(503);
    expect((await get('/readyz?scope=process')).status).toBe(200);
    expect((await get('/healthz')).status).toBe(200);
  });

  it('shows metrics to this host, and with a key to those who have it', async () => {
    const port = await freePort();
    await start({ METRICS_KEY: 'secret', METRICS_PORT: String(port) });
    const authorization = 'Bearer secret';
    expect((await get('/metrics', { authorization })).status).toBe(404);
    const own = `http://127.0.0.1:${port}/metrics`;
    expect((await fetch(own)).status).toBe(401);
    const page = await fetch(own, { headers: { authorization } });
    expect(await page.text()).toContain('cuzk_event_loop_delay_seconds');
  });
});
