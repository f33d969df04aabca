import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { loadConfig } from '@cuzk/service-kit/config/load-config';
import { paramsFoldersOf } from '@cuzk/service-kit/config/parameter-settings';
import { dispatchAll } from '@cuzk/service-kit/fleet/dispatcher';
import { oldestWaits } from '@cuzk/service-kit/fleet/oldest-waits';
import type { Service } from '@cuzk/service-kit/open-service';
import { acceptC1, submitPartitionProof, submitResult } from '@cuzk/service-kit/record/changes';
import { createOrJoinProof } from '@cuzk/service-kit/record/create-proof';
import { cancelRun } from '@cuzk/service-kit/record/run-control';
import { installGoldenKey, readGoldenCase } from '@cuzk/service-kit/testing/golden-case';
import { GOLDEN_CIRCUIT } from '@cuzk/service-kit/testing/golden-prover';
import { eventually, TestFleet } from '@cuzk/service-kit/testing/open-test-service';
import { TestRedis } from '@cuzk/service-kit/testing/redis-server';
import {
  artifact,
  ingested,
  mustClaim,
  newProof,
  only,
  SYNTH,
  synthesized,
} from '@cuzk/service-kit/testing/sample-proof';
import { openVerifier, type Verifier } from '@cuzk/service-kit/threads/open-verifier';
import type { FastifyInstance } from 'fastify';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { buildApp } from '../build-app.ts';
import { API_SETTINGS } from '../config.ts';
import { applyChange, type StatusChange } from '../status/status-change.ts';
import type { StatusView } from '../status/status-types.ts';

const GOLDEN = readGoldenCase('2KiB-V1_1-a');

let server: TestRedis;
let fleet: TestFleet;
let service: Service;
let gpu: Service;
let verifier: Verifier;
let app: FastifyInstance;

beforeAll(async () => {
  server = await TestRedis.start();
  verifier = openVerifier();
});
afterAll(async () => {
  await verifier.close();
  await server.stop();
});

async function build(settings: Record<string, string> = {}): Promise<FastifyInstance> {
  const config = loadConfig(API_SETTINGS, {
    REDIS_URL: server.url,
    CUZK_CACHE_DIR: join(fleet.folder, 'cache'),
    FIL_PROOFS_PARAMETER_CACHE: join(fleet.folder, 'none'),
    ALLOW_DEVELOPMENT_PARAMS: '1',
    ...settings,
  });
  const folders = paramsFoldersOf(config);
  return buildApp({ service, config, verifier, folders, callers: null });
}
beforeEach(async () => {
  fleet = new TestFleet(server.url);
  service = await fleet.open('api');
  gpu = await fleet.open('gpu-worker', 'gpu-a', '1');
  await service.redis.flushall();
  mkdirSync(join(fleet.folder, 'cache'));
  installGoldenKey(join(fleet.folder, 'cache'));
  app = await build();
});
afterEach(async () => {
  await app.close();
  await fleet.close();
});

const getJson = async <T>(url: string): Promise<T> => (await app.inject({ url })).json() as T;
/** A status without what runs with the clock. */
const still = ({ uptime_secs: _u, time: _t, pipelines, ...rest }: StatusView) => ({
  ...rest,
  queues: rest.queues.map(({ oldest_secs: _o, ...own }) => own),
  workers: [],
  pipelines: pipelines.map(({ started_secs_ago: _s, ...own }) => own),
});

/** Reads the stream; what a reader knows after each event. */
async function follow(url: string): Promise<{ known: () => StatusView | null; stop: () => void }> {
  const stopping = new AbortController();
  const response = await fetch(`${url}/v1/status/events`, { signal: stopping.signal });
  let known: StatusView | null = null;
  let rest = '';
  const read = async () => {
    for await (const text of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      const frames = (rest + text).split('\n\n');
      rest = frames.pop() ?? '';
      for (const frame of frames) {
        const data = /^data: (.*)$/m.exec(frame)?.[1];
        if (data === undefined) continue;
        if (/^event: status$/m.test(frame)) known = JSON.parse(data) as StatusView;
        else known = applyChange(known as StatusView, JSON.parse(data) as StatusChange);
      }
    }
  };
  void read().catch(() => {});
  return { known: () => known, stop: () => stopping.abort() };
}

describe('the status', () => {
  it("has cuzk's members, and a worker's presence in them", async () => {
    await gpu.presence.publish({
      ready: true,
      status: 'ready',
      circuits: [GOLDEN_CIRCUIT],
      deviceBytes: { srs: 1_000, witness: 20 },
    });
    const proofId = await ingested(service.redis, 2);
    const view = await getJson<StatusView>('/v1/status');
    expect(view.pipelines).toMatchObject([
      { job_id: proofId, total_partitions: 2, partitions_done: 0, state: 'queued' },
    ]);
    expect(view.pipelines[0]?.partitions.map(({ state }) => state)).toEqual(['pending', 'pending']);
    expect(view.gpu_workers).toMatchObject([
      { worker_id: 0, gpu_ordinal: 1, state: 'idle', name: 'gpu-worker/gpu-a/1' },
    ]);
    expect(view.allocations.srs).toMatchObject([
      { circuit_id: GOLDEN_CIRCUIT, bytes: 1_000, evictable: true },
    ]);
    expect(view.counters).toMatchObject({ queue_depth: 2, live: 1 });
    const own = view.workers.find(({ role }) => role === 'gpu-worker');
    expect(own?.resident_bytes).toBeGreaterThan(10e6);
  });

  it('goes by the clock of Redis: an API that is an hour ahead shows what has just ended, and as old as it is', async () => {
    const live = await ingested(service.redis, 1);
    const ended = await ingested(service.redis, 1);
    await cancelRun(service.redis, ended, 'cancelled');
    const realMs = Date.now();
    const scale = async () => getJson<Record<string, { desired: number }>>('/v1/autoscale');
    const workers = await scale();
    vi.setSystemTime(realMs + 3_600_000);
    try {
      const view = await getJson<StatusView>('/v1/status');
      expect(view.pipelines.map(({ job_id }) => job_id)).toEqual([live, ended]);
      for (const { started_secs_ago } of view.pipelines) expect(started_secs_ago).toBeLessThan(60);
      expect(Math.abs(Date.parse(view.time) - realMs)).toBeLessThan(60_000);
      expect(view.uptime_secs).toBeLessThan(600);
      expect(view.queues.every(({ oldest_secs }) => (oldest_secs ?? 0) < 60)).toBe(true);
      expect(await scale()).toEqual(workers);
      expect((await oldestWaits(service.redis)).get('synthesize')).toBeLessThan(60);
    } finally {
      vi.useRealTimers();
    }
  });

  it('as a stream leads to the same status as asking for it', async () => {
    await ingested(service.redis, 2);
    const url = await app.listen({ host: '127.0.0.1', port: 0 });
    const reader = await follow(url);
    await eventually(() => reader.known()?.pipelines.length === 1);
    const second = await ingested(service.redis, 3);
    await dispatchAll(service.redis, { handoffBytes: 2_500, window: 8 });
    await eventually(() => reader.known()?.pipelines.length === 2);
    await cancelRun(service.redis, second, 'cancelled');
    await eventually(() => reader.known()?.pipelines[1]?.state === 'cancelled');
    await eventually(async () => {
      const asked = still(await getJson<StatusView>('/v1/status'));
      return JSON.stringify(asked) === JSON.stringify(still(reader.known() as StatusView));
    });
    reader.stop();
  });

  it('is not waited for when the process stops, nor is the stream of a proof', async () => {
    const proofId = await ingested(service.redis, 1);
    const url = await app.listen({ host: '127.0.0.1', port: 0 });
    const streams = await Promise.all(
      [`${url}/v1/status/events`, `${url}/v1/proofs/${proofId}/events`].map(async (path) => {
        const response = await fetch(path);
        await response.body?.getReader().read();
        return response;
      }),
    );
    expect(streams.map(({ status }) => status)).toEqual([200, 200]);
    const startedAt = performance.now();
    await app.close();
    expect(performance.now() - startedAt).toBeLessThan(3_000);
  });

  it('keeps the memory of every process', async () => {
    const history = await eventually(async () => {
      const found = await getJson<{
        times: number[];
        series: { worker: string; bytes: number[] }[];
      }>('/v1/status/history');
      return found.times.length > 0 ? found : null;
    });
    for (const { bytes } of history.series) expect(bytes).toHaveLength(history.times.length);
  });
});

describe('what a verifier of your own needs', () => {
  it('is there once the proof has succeeded', async () => {
    const { redis, artifacts } = service;
    const created = await createOrJoinProof(redis, newProof());
    const { proofId } = created;
    const url = `/v1/proofs/${proofId}/verification`;
    expect(await getJson(url)).toMatchObject({ code: 'PROOF_NOT_READY' });
    const ingest = await mustClaim(redis, only(created.next), SYNTH);
    const put = (name: string, bytes: Uint8Array) =>
      artifacts.put(`proofs/${proofId}/${name}`, Buffer.from(bytes));
    await acceptC1(redis, ingest.fence, {
      circuitId: GOLDEN_CIRCUIT,
      sectorBytes: 2048,
      witnessBytes: 1_000,
      publicInputs: await put('public-inputs', GOLDEN.publicInputs),
      inputs: [artifact('input')],
    });
    const { units } = await dispatchAll(redis, { handoffBytes: 1_000, window: 1 });
    const unit = await synthesized(redis, only(units));
    const prove = await mustClaim(redis, unit, gpu.identity);
    const proved = await submitPartitionProof(redis, prove.fence, {
      proof: GOLDEN.proof,
      parameters: 'insecure-development',
      worker: gpu.identity.name,
      phases: [],
    });
    const finalize = await mustClaim(redis, only(proved.next), SYNTH);
    const result = await put('result', GOLDEN.proof);
    await submitResult(redis, finalize.fence, result, 'insecure-development');
    expect(await getJson(url)).toMatchObject({
      ...{ proofId, circuitId: GOLDEN_CIRCUIT, sectorSize: '2KiB', partitions: 1 },
      proof: Buffer.from(GOLDEN.proof).toString('base64'),
      publicInputs: Buffer.from(GOLDEN.publicInputs).toString('base64'),
      publicInputsPerPartition: GOLDEN.publicInputs.length / 32,
    });
    await artifacts.delete(`proofs/${proofId}/public-inputs`);
    expect(await getJson(url)).toMatchObject({ code: 'ARTIFACT_MISSING' });
  });
});

describe('chaos', () => {
  const kill = (worker: string) =>
    app.inject({ method: 'POST', url: '/v1/chaos', payload: { worker } });

  it('is not there unless it is asked for', async () => {
    expect((await kill('gpu-worker/gpu-a/1')).statusCode).toBe(404);
    expect((await getJson<StatusView>('/v1/status')).service.chaos).toBe(false);
  });
  it('kills nobody who does not listen or is not known', async () => {
    await app.close();
    app = await build({ CHAOS: '1' });
    await gpu.presence.publish({ ready: true, status: 'ready' });
    for (const name of ['gpu-worker/gpu-a/1', 'gpu-worker/gpu-z/9', service.identity.name]) {
      expect((await kill(name)).json()).toMatchObject({
        code: 'REQUEST_INVALID',
        pointer: '/worker',
      });
    }
  });
});
