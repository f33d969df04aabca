import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openService, type Service, type ServiceSettings } from '@cuzk/service-kit/open-service';
import { createOrJoinProof } from '@cuzk/service-kit/record/create-proof';
import { startAcceptedSpan } from '@cuzk/service-kit/telemetry/accepted-span';
import { traceparentOf } from '@cuzk/service-kit/telemetry/trace-context';
import { eventually, testSettings } from '@cuzk/service-kit/testing/open-test-service';
import { TestRedis } from '@cuzk/service-kit/testing/redis-server';
import { newProof } from '@cuzk/service-kit/testing/sample-proof';

export interface SimulatedSettings {
  readonly role: 'synth' | 'gpu';
  readonly node: string;
  readonly partitions?: number;
  readonly concurrency?: number;
  readonly synthesizeMs?: number;
  readonly proveMs?: number;
  readonly failureShare?: number;
}

/** One simulated worker as its own process. */
export class SimulatedWorker {
  readonly settings: SimulatedSettings;
  readonly #child: ChildProcess;
  #output = '';

  constructor(settings: SimulatedSettings, service: ServiceSettings) {
    this.settings = settings;
    const program = fileURLToPath(new URL('./simulated-worker.mjs', import.meta.url));
    const argument = JSON.stringify({ ...settings, service });
    this.#child = spawn(process.execPath, [program, argument], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '' },
    });
    this.#child.stdout?.on('data', (chunk: Buffer) => {
      this.#output += chunk.toString();
    });
  }

  get running(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Its port of /metrics, once it has one. */
  async port(): Promise<number> {
    const port = await eventually(() => {
      if (!this.running) throw new Error(`a simulated worker ended: ${this.#output}`);
      return /ready (\d+)/.exec(this.#output)?.[1];
    }, 30_000);
    return Number(port);
  }

  async metrics(): Promise<string> {
    return (await fetch(`http://127.0.0.1:${await this.port()}/metrics`)).text();
  }

  async end(signal: NodeJS.Signals): Promise<void> {
    if (!this.running) return;
    const ended = new Promise((resolve) => this.#child.once('exit', resolve));
    this.#child.kill(signal);
    await ended;
  }
}

/** A Redis and simulated workers on it. */
export class SimulatedFleet {
  readonly client: Service;
  readonly workers: SimulatedWorker[] = [];
  readonly #redis: TestRedis;
  readonly #folder: string;
  readonly #otlpEndpoint: string;

  private constructor(redis: TestRedis, folder: string, otlpEndpoint: string, client: Service) {
    this.#redis = redis;
    this.#folder = folder;
    this.#otlpEndpoint = otlpEndpoint;
    this.client = client;
  }

  static async open(otlpEndpoint = ''): Promise<SimulatedFleet> {
    const redis = await TestRedis.start();
    const folder = mkdtempSync(join(tmpdir(), 'cuzk-simulated-'));
    const client = await openService(
      'api',
      testSettings({
        REDIS_URL: redis.url,
        ARTIFACT_DIR: folder,
        NODE_NAME: 'client',
        OTEL_EXPORTER_OTLP_ENDPOINT: otlpEndpoint,
      }),
      'patient',
    );
    return new SimulatedFleet(redis, folder, otlpEndpoint, client);
  }

  async start(settings: SimulatedSettings): Promise<SimulatedWorker> {
    const service = testSettings({
      REDIS_URL: this.#redis.url,
      ARTIFACT_DIR: this.#folder,
      NODE_NAME: settings.node,
      LOG_LEVEL: 'error',
      OTEL_EXPORTER_OTLP_ENDPOINT: this.#otlpEndpoint,
    });
    const worker = new SimulatedWorker(settings, service);
    this.workers.push(worker);
    await worker.port();
    return worker;
  }

  /** Makes the record of a proof as the API does, below a span of its own. */
  async submit(): Promise<string> {
    const { redis, queues, telemetry } = this.client;
    const proof = newProof();
    const span = startAcceptedSpan(telemetry.tracer, {
      proofId: proof.proofId,
      startMs: Date.now(),
      method: 'POST',
      route: '/v1/proofs',
      traceparent: undefined,
    });
    const created = await createOrJoinProof(redis, { ...proof, traceparent: traceparentOf(span) });
    span.end();
    await queues.addUnits(created.next);
    return created.proofId;
  }

  /** How many runs have ended, by state. */
  async ended(): Promise<Readonly<Record<string, number>>> {
    const counts = await this.client.redis.hgetall('{cuzk}:ended-counts');
    return Object.fromEntries(Object.entries(counts).map(([state, n]) => [state, Number(n)]));
  }

  /** Waits until so many runs have ended. */
  async drain(runs: number, timeoutMs: number): Promise<Readonly<Record<string, number>>> {
    return eventually(async () => {
      const counts = await this.ended();
      const sum = Object.values(counts).reduce((total, n) => total + n, 0);
      return sum >= runs ? counts : null;
    }, timeoutMs);
  }

  async close(): Promise<void> {
    await Promise.all(this.workers.map((worker) => worker.end('SIGTERM')));
    await this.client.close();
    await this.#redis.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
