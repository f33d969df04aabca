import { join } from 'node:path';
import { loadConfig } from '@cuzk/service-kit/config/load-config';
import { paramsFoldersOf } from '@cuzk/service-kit/config/parameter-settings';
import type { Service } from '@cuzk/service-kit/open-service';
import { StageWorker } from '@cuzk/service-kit/queues/stage-worker';
import { acceptC1 } from '@cuzk/service-kit/record/changes';
import { readGoldenCase } from '@cuzk/service-kit/testing/golden-case';
import { GOLDEN_CIRCUIT } from '@cuzk/service-kit/testing/golden-prover';
import { TestFleet } from '@cuzk/service-kit/testing/open-test-service';
import { TestRedis } from '@cuzk/service-kit/testing/redis-server';
import { artifact } from '@cuzk/service-kit/testing/sample-proof';
import { openVerifier, type Verifier } from '@cuzk/service-kit/threads/open-verifier';
import type { FastifyInstance, InjectOptions } from 'fastify';
import { buildApp } from '../build-app.ts';
import { API_SETTINGS } from '../config.ts';
import type { CallersByKey } from '../tenants/tenants-file.ts';

export const GOLDEN = readGoldenCase('2KiB-V1_1-a');

/** The HTTP application on a Redis and a folder of its own, with an ingest stage that finds every C1 good. */
export class TestApi {
  readonly redis: TestRedis;
  readonly fleet: TestFleet;
  readonly service: Service;
  readonly worker: Service;
  readonly app: FastifyInstance;
  readonly #verifier: Verifier;
  #ingest: StageWorker<'ingest'> | undefined;

  private constructor(
    redis: TestRedis,
    fleet: TestFleet,
    services: readonly [Service, Service],
    app: FastifyInstance,
    verifier: Verifier,
  ) {
    this.redis = redis;
    this.fleet = fleet;
    [this.service, this.worker] = services;
    this.app = app;
    this.#verifier = verifier;
  }

  static async open(callers: CallersByKey | null = null): Promise<TestApi> {
    const redis = await TestRedis.start();
    const fleet = new TestFleet(redis.url);
    const service = await fleet.open('api');
    const worker = await fleet.open('synth-worker');
    const verifier = openVerifier();
    const config = loadConfig(API_SETTINGS, {
      REDIS_URL: redis.url,
      CUZK_CACHE_DIR: join(fleet.folder, 'cache'),
      FIL_PROOFS_PARAMETER_CACHE: join(fleet.folder, 'none'),
      ALLOW_DEVELOPMENT_PARAMS: '1',
      INGEST_WAIT_MS: '3000',
    });
    const app = await buildApp({
      service,
      config,
      verifier,
      folders: paramsFoldersOf(config),
      callers,
    });
    const api = new TestApi(redis, fleet, [service, worker], app, verifier);
    api.#ingest = await StageWorker.start(worker, {
      ...{ stage: 'ingest', concurrency: 4, maxFailures: 3 },
      handle: (claim) =>
        acceptC1(worker.redis, claim.fence, {
          ...{ circuitId: GOLDEN_CIRCUIT, sectorBytes: 2048, witnessBytes: 1000 },
          publicInputs: artifact('public-inputs'),
          inputs: [artifact('input-0')],
        }),
    });
    return api;
  }

  /** Submits the golden C1 as this sector. */
  submit(sector: number, query = '', more: InjectOptions = {}) {
    return this.app.inject({
      method: 'POST',
      url: `/v1/proofs?miner=f01000&sector=${sector}${query}`,
      payload: Buffer.from(GOLDEN.c1),
      ...more,
      headers: { 'content-type': 'application/json', ...more.headers },
    });
  }

  call(method: 'GET' | 'POST' | 'DELETE', url: string, headers: Record<string, string> = {}) {
    return this.app.inject({ method, url, headers });
  }

  async close(): Promise<void> {
    await this.#ingest?.drain();
    await this.app.close();
    await this.fleet.close();
    await this.#verifier.close();
    await this.redis.stop();
  }
}
