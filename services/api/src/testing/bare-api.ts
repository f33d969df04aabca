import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { loadConfig } from '@cuzk/service-kit/config/load-config';
import { paramsFoldersOf } from '@cuzk/service-kit/config/parameter-settings';
import type { Service } from '@cuzk/service-kit/open-service';
import { StageWorker } from '@cuzk/service-kit/queues/stage-worker';
import { acceptC1, refuseC1 } from '@cuzk/service-kit/record/changes';
import type { IngestClaim, Problem } from '@cuzk/service-kit/record/types';
import { installGoldenKey, readGoldenCase } from '@cuzk/service-kit/testing/golden-case';
import { GOLDEN_CIRCUIT } from '@cuzk/service-kit/testing/golden-prover';
import { TestFleet } from '@cuzk/service-kit/testing/open-test-service';
import { TestRedis } from '@cuzk/service-kit/testing/redis-server';
import { artifact } from '@cuzk/service-kit/testing/sample-proof';
import { openVerifier, type Verifier } from '@cuzk/service-kit/threads/open-verifier';
import type { FastifyInstance, InjectOptions } from 'fastify';
import { buildApp } from '../build-app.ts';
import { API_SETTINGS } from '../config.ts';

export const GOLDEN = readGoldenCase('2KiB-V1_1-a');
export const MAX_BODY_BYTES = 200_000;

/**
 * The HTTP application on a Redis of its own, renewed for every test, without any worker but those that it asks for.
 */
export class BareApi {
  readonly verifier: Verifier;
  readonly #server: TestRedis;
  readonly #closing: (() => Promise<void>)[] = [];
  fleet!: TestFleet;
  service!: Service;
  worker!: Service;
  app!: FastifyInstance;

  private constructor(server: TestRedis) {
    this.#server = server;
    this.verifier = openVerifier();
  }

  static async open(): Promise<BareApi> {
    return new BareApi(await TestRedis.start());
  }

  /** Empties Redis and opens everything anew. */
  async renew(): Promise<void> {
    this.fleet = new TestFleet(this.#server.url);
    this.service = await this.fleet.open('api');
    this.worker = await this.fleet.open('synth-worker');
    await this.service.redis.flushall();
    const cache = join(this.fleet.folder, 'cache');
    mkdirSync(cache);
    installGoldenKey(cache);
    this.app = await this.build();
  }

  /** The application on the same Redis and folders. */
  build(settings: Readonly<Record<string, string>> = {}): Promise<FastifyInstance> {
    const config = loadConfig(API_SETTINGS, {
      REDIS_URL: this.#server.url,
      CUZK_CACHE_DIR: join(this.fleet.folder, 'cache'),
      FIL_PROOFS_PARAMETER_CACHE: join(this.fleet.folder, 'none'),
      ALLOW_DEVELOPMENT_PARAMS: '1',
      MAX_BODY_BYTES: String(MAX_BODY_BYTES),
      INGEST_WAIT_MS: '500',
      ...settings,
    });
    const folders = paramsFoldersOf(config);
    const { service, verifier } = this;
    return buildApp({ service, config, verifier, folders, callers: null });
  }

  /** From now on `post` and `get` speak to this one. */
  async use(app: FastifyInstance): Promise<void> {
    await this.app.close();
    this.app = app;
  }

  /** Ends what `renew` opened. */
  async clear(): Promise<void> {
    for (const close of this.#closing.splice(0)) await close();
    await this.app.close();
    await this.fleet.close();
  }

  async close(): Promise<void> {
    await this.verifier.close();
    await this.#server.stop();
  }

  /** An ingest stage that says this of every C1; null accepts. */
  async ingestSays(problem: Problem | null): Promise<void> {
    const { redis } = this.worker;
    const handle = (claim: IngestClaim) =>
      problem
        ? refuseC1(redis, claim.fence, problem)
        : acceptC1(redis, claim.fence, {
            circuitId: GOLDEN_CIRCUIT,
            sectorBytes: 2048,
            witnessBytes: 1000,
            publicInputs: artifact('public-inputs'),
            inputs: [artifact('input-0'), artifact('input-1')],
          });
    const stage = await StageWorker.start(this.worker, {
      ...{ stage: 'ingest', concurrency: 4, maxFailures: 3 },
      handle,
    });
    this.#closing.push(() => stage.drain());
  }

  /** Submits the golden C1. */
  post(changes: InjectOptions = {}) {
    return this.app.inject({
      method: 'POST',
      url: '/v1/proofs?miner=f01000&sector=1',
      headers: { 'content-type': 'application/json' },
      payload: Buffer.from(GOLDEN.c1),
      ...changes,
    });
  }

  get(url: string, headers: Record<string, string> = {}) {
    return this.app.inject({ method: 'GET', url, headers });
  }

  async storedRefs(): Promise<string[]> {
    const found: string[] = [];
    for await (const { ref } of this.service.artifacts.list('')) found.push(ref);
    return found;
  }
}
