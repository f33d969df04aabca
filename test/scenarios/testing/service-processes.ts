import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openService, type Service } from '@cuzk/service-kit/open-service';
import type { WorkerRole } from '@cuzk/service-kit/presence/identity';
import { installGoldenKey } from '@cuzk/service-kit/testing/golden-case';
import { eventually, testSettings } from '@cuzk/service-kit/testing/open-test-service';
import { freePort, TestRedis } from '@cuzk/service-kit/testing/redis-server';

export type ServiceName = 'api' | 'synth-worker' | 'gpu-worker';

/** One service as its own process, from the build. */
export class ServiceProcess {
  readonly name: ServiceName;
  readonly #child: ChildProcess;
  #log = '';

  constructor(name: ServiceName, environment: Readonly<Record<string, string>>) {
    this.name = name;
    const main = new URL(`../../../services/${name}/dist/main.js`, import.meta.url);
    const base = { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '' };
    this.#child = spawn(process.execPath, [fileURLToPath(main)], {
      env: { ...base, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const keep = (chunk: Buffer) => {
      this.#log = (this.#log + chunk.toString()).slice(-200_000);
    };
    this.#child.stdout?.on('data', keep);
    this.#child.stderr?.on('data', keep);
  }

  /** Its log lines so far. */
  get log(): string {
    return this.#log;
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  get running(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Sends a signal; returns exit code and time once it has ended. */
  async end(signal: NodeJS.Signals): Promise<{ code: number | null; tookMs: number }> {
    const startedAt = performance.now();
    if (this.running) {
      await new Promise<void>((resolve) => {
        this.#child.once('exit', () => resolve());
        this.#child.kill(signal);
      });
    }
    return { code: this.#child.exitCode, tookMs: performance.now() - startedAt };
  }
}

/** A service of real processes on a Redis and a folder of its own; the GPU stage is the test's to provide. */
export class Scenario {
  readonly redis: TestRedis;
  readonly folder: string;
  readonly url: string;
  readonly #port: number;
  readonly #processes: ServiceProcess[] = [];
  readonly #services: Service[] = [];

  private constructor(redis: TestRedis, folder: string, port: number) {
    this.redis = redis;
    this.folder = folder;
    this.#port = port;
    this.url = `http://127.0.0.1:${port}`;
  }

  static async open(redisOptions: { readonly durable?: boolean } = {}): Promise<Scenario> {
    const redis = await TestRedis.start(redisOptions);
    const folder = mkdtempSync(join(tmpdir(), 'cuzk-scenario-'));
    installGoldenKey(join(folder, 'cache'));
    return new Scenario(redis, folder, await freePort());
  }

  #environment(node: string): Record<string, string> {
    return {
      REDIS_URL: this.redis.url,
      ARTIFACT_DIR: join(this.folder, 'artifacts'),
      CUZK_CACHE_DIR: join(this.folder, 'cache'),
      FIL_PROOFS_PARAMETER_CACHE: join(this.folder, 'none'),
      ALLOW_DEVELOPMENT_PARAMS: '1',
      NODE_NAME: node,
      SYNTH_THREADS: '1',
      PORT: String(this.#port),
      OPS_PORT: '0',
    };
  }

  /** Starts a service and does not wait for it. */
  launch(
    name: ServiceName,
    node: string,
    settings: Readonly<Record<string, string>>,
  ): ServiceProcess {
    const process = new ServiceProcess(name, { ...this.#environment(node), ...settings });
    this.#processes.push(process);
    return process;
  }

  async start(
    name: ServiceName,
    node = 'node-a',
    settings: Readonly<Record<string, string>> = {},
  ): Promise<ServiceProcess> {
    const process = this.launch(name, node, settings);
    await eventually(() => {
      if (!process.running) throw new Error(`${name} ended: ${process.log.slice(-2_000)}`);
      return process.log.includes('"msg":"ready"');
    }, 30_000);
    return process;
  }

  /** A connection of the test's own to the fleet. */
  async join(role: WorkerRole, node = 'node-a', otlpEndpoint = ''): Promise<Service> {
    const service = await openService(
      role,
      testSettings({
        REDIS_URL: this.redis.url,
        ARTIFACT_DIR: join(this.folder, 'artifacts'),
        NODE_NAME: node,
        OTEL_EXPORTER_OTLP_ENDPOINT: otlpEndpoint,
      }),
      'patient',
    );
    this.#services.push(service);
    return service;
  }

  async close(): Promise<void> {
    await Promise.all(this.#services.map((service) => service.close()));
    await Promise.all(this.#processes.map((process) => process.end('SIGKILL')));
    await this.redis.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Submits a C1; status and JSON body of the answer. */
export async function submit(
  url: string,
  c1: Uint8Array,
  {
    miner,
    sector,
    idempotencyKey,
  }: { readonly miner: string; readonly sector: string; readonly idempotencyKey?: string },
): Promise<{ status: number; body: Record<string, unknown> }> {
  const response = await fetch(`${url}/v1/proofs?miner=${miner}&sector=${sector}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
    },
    body: Buffer.from(c1),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

/** A proof's JSON once its state is one of these. */
export function reaches(
  url: string,
  proofId: unknown,
  states: readonly string[],
  timeoutMs = 60_000,
): Promise<Record<string, unknown> & { state: string }> {
  return eventually(async () => {
    const response = await fetch(`${url}/v1/proofs/${proofId}`).catch(() => null);
    if (!response?.ok) return null;
    const proof = (await response.json()) as Record<string, unknown> & { state: string };
    return states.includes(proof.state) ? proof : null;
  }, timeoutMs);
}
