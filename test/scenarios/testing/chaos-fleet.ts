import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { c1Ref } from '@cuzk/service-kit/artifacts/names';
import type { CoordinatorOptions } from '@cuzk/service-kit/fleet/coordinator';
import { sweepRetention } from '@cuzk/service-kit/fleet/retention';
import { openService, type Service } from '@cuzk/service-kit/open-service';
import { HANDOFF_POOL, poolStatus } from '@cuzk/service-kit/permits/permits';
import { createOrJoinProof, type NewProof } from '@cuzk/service-kit/record/create-proof';
import { newProofId } from '@cuzk/service-kit/record/proof-id';
import { type ProofEvent, readAllEvents } from '@cuzk/service-kit/record/read-events';
import { readProof } from '@cuzk/service-kit/record/read-proof';
import { NO_TENANT } from '@cuzk/service-kit/record/tenant';
import {
  ENDED_STATES,
  type PartitionState,
  type ProofRecord,
} from '@cuzk/service-kit/record/types';
import { BUSY_KEY } from '@cuzk/service-kit/redis/keys';
import type { SimulatedCpu } from '@cuzk/service-kit/simulated/simulated-cpu-stages';
import type { SimulatedProving } from '@cuzk/service-kit/simulated/simulated-prover';
import { eventually, testSettings } from '@cuzk/service-kit/testing/open-test-service';
import { TestRedis, type TestRedisOptions } from '@cuzk/service-kit/testing/redis-server';
import { expect } from 'vitest';

const CIRCUIT = 'simulated';
export const WITNESS_BYTES = 4_096;
const SUBMITTED_AT_ONCE = 20;
const WORKER = fileURLToPath(
  new URL('../../../packages/service-kit/dist/simulated/simulated-worker.js', import.meta.url),
);

/** One process of a simulated fleet. */
export class FleetProcess {
  readonly node: string;
  readonly #child: ChildProcess;
  log = '';

  constructor(node: string, plan: object, nodeArguments: readonly string[] = []) {
    this.node = node;
    this.#child = spawn(process.execPath, [...nodeArguments, WORKER, JSON.stringify(plan)], {
      env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const keep = (chunk: Buffer) => {
      this.log = (this.log + chunk.toString()).slice(-200_000);
    };
    this.#child.stdout?.on('data', keep);
    this.#child.stderr?.on('data', keep);
  }

  get running(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Stands still, as a process does that swaps or computes on its event loop. */
  freeze(): void {
    this.#child.kill('SIGSTOP');
  }

  thaw(): void {
    this.#child.kill('SIGCONT');
  }

  async end(signal: NodeJS.Signals): Promise<{ code: number | null; tookMs: number }> {
    const startedAt = performance.now();
    if (this.running) {
      await new Promise<void>((resolve) => {
        this.#child.once('exit', () => resolve());
        this.#child.kill(signal);
        if (signal === 'SIGKILL') this.#child.kill('SIGCONT');
      });
    }
    return { code: this.#child.exitCode, tookMs: performance.now() - startedAt };
  }
}

export interface ChaosOptions {
  readonly redis?: TestRedisOptions;
  readonly cpu?: Partial<SimulatedCpu>;
  readonly coordinator?: Partial<CoordinatorOptions>;
}

/** Real processes with simulated work on a real Redis and a real folder, to be broken on purpose. */
export class ChaosFleet {
  readonly redis: TestRedis;
  readonly folder: string;
  readonly service: Service;
  readonly ids: string[] = [];
  readonly #options: ChaosOptions;
  readonly #processes: FleetProcess[] = [];

  private constructor(redis: TestRedis, folder: string, service: Service, options: ChaosOptions) {
    this.redis = redis;
    this.folder = folder;
    this.service = service;
    this.#options = options;
  }

  static async open(options: ChaosOptions = {}): Promise<ChaosFleet> {
    const redis = await TestRedis.start({ durable: true, ...options.redis });
    const folder = mkdtempSync(join(tmpdir(), 'cuzk-chaos-'));
    const settings = ChaosFleet.#settings(redis.url, folder, 'observer');
    return new ChaosFleet(redis, folder, await openService('api', settings, 'patient'), options);
  }

  static #settings(redisUrl: string, folder: string, node: string) {
    return testSettings({
      REDIS_URL: redisUrl,
      ARTIFACT_DIR: join(folder, 'artifacts'),
      NODE_NAME: node,
      SPAN_FILE: '',
    });
  }

  async #start(
    node: string,
    plan: object,
    redisUrl: string,
    nodeArguments: readonly string[] = [],
  ): Promise<FleetProcess> {
    const settings = {
      ...ChaosFleet.#settings(redisUrl, this.folder, node),
      LOG_LEVEL: 'info',
    };
    const started = new FleetProcess(node, { settings, ...plan }, nodeArguments);
    this.#processes.push(started);
    await eventually(() => {
      if (!started.running) throw new Error(`${node} ended: ${started.log.slice(-2_000)}`);
      return started.log.includes('"msg":"ready"');
    }, 30_000);
    return started;
  }

  /** Ingest, synthesis, finalize, and a dispatcher that may lead. */
  cpu(
    node = 'cpu-a',
    changes: Partial<SimulatedCpu> = {},
    redisUrl = this.redis.url,
    nodeArguments: readonly string[] = [],
  ): Promise<FleetProcess> {
    const work: SimulatedCpu = {
      ...{ circuitId: CIRCUIT, partitions: 3, witnessBytes: WITNESS_BYTES },
      ...{ threads: 2, synthesizeMs: 50, failShare: 0 },
      ...this.#options.cpu,
      ...changes,
    };
    const coordinator: CoordinatorOptions = {
      ...{ handoffBytes: 100 * WITNESS_BYTES, window: 64, quietMs: 0 },
      ...this.#options.coordinator,
    };
    return this.#start(node, { cpu: work, coordinator }, redisUrl, nodeArguments);
  }

  prover(
    node = 'gpu-a',
    changes: Partial<SimulatedProving> = {},
    redisUrl = this.redis.url,
    nodeArguments: readonly string[] = [],
  ): Promise<FleetProcess> {
    const proving: SimulatedProving = {
      ...{ circuits: [CIRCUIT], devices: 1, proveMs: 100 },
      ...{ failShare: 0, failCode: 'GPU_OUT_OF_MEMORY' },
      ...changes,
    };
    return this.#start(node, { proving }, redisUrl, nodeArguments);
  }

  async submit(changes: Partial<NewProof> = {}): Promise<string> {
    const proofId = newProofId();
    const c1 = await this.service.artifacts.put(c1Ref(proofId), Buffer.from(`{"${proofId}":1}`));
    const record: NewProof = {
      ...({ proofId, kind: 'porep', minerId: '1000', sectorNumber: '1', c1 } as const),
      contentKey: createHash('sha256').update(proofId).digest('hex'),
      ...({ priority: 'normal', deadlineAt: null, tenant: NO_TENANT, traceparent: null } as const),
      ...changes,
    };
    const created = await createOrJoinProof(this.service.redis, record).catch(async (error) => {
      await this.service.artifacts.delete(c1.ref); // As the API does with what it could not accept.
      throw error;
    });
    await this.service.queues.addUnits(created.next);
    this.ids.push(created.proofId);
    return created.proofId;
  }

  /** Submits this many, some at once. */
  async submitMany(count: number, changes: Partial<NewProof> = {}): Promise<void> {
    for (let left = count; left > 0; left -= SUBMITTED_AT_ONCE) {
      const some = Array.from({ length: Math.min(left, SUBMITTED_AT_ONCE) });
      await Promise.all(some.map(() => this.submit(changes)));
    }
  }

  async read(id: string): Promise<ProofRecord> {
    const proof = await readProof(this.service.redis, id);
    if (proof === null) throw new Error(`${id} has no record`);
    return proof;
  }

  /** Waits until a partition is in this state; its index. */
  partitionIs(id: string, state: PartitionState, timeoutMs = 20_000): Promise<number> {
    return eventually(async () => {
      const found = (await this.read(id)).partitions.find((partition) => partition.state === state);
      return found === undefined ? false : [found.index];
    }, timeoutMs).then(([index]) => index as number);
  }

  ended(id: string, timeoutMs = 60_000): Promise<ProofRecord> {
    return eventually(async () => {
      const proof = await this.read(id);
      return proof.endedAt === null ? false : proof;
    }, timeoutMs);
  }

  events(id: string): Promise<readonly ProofEvent[]> {
    return readAllEvents(this.service.redis, id);
  }

  /** Waits for all proofs, and checks that each succeeded and that nothing is left of them. */
  async allSucceeded(timeoutMs = 60_000): Promise<ProofRecord[]> {
    const proofs = await Promise.all(this.ids.map((id) => this.ended(id, timeoutMs)));
    const others = proofs.filter(({ state }) => state !== 'succeeded');
    expect(others.map(({ proofId, state, problem }) => ({ proofId, state, problem }))).toEqual([]);
    await this.assertClean();
    return proofs;
  }

  /** What must hold when everything is over: the invariants of the design, from the event log and the stores. */
  async assertClean(): Promise<void> {
    for (const id of this.ids) {
      const proof = await this.read(id);
      const events = await this.events(id);
      const ends = events.filter(
        ({ type, data }) => type === 'state' && ENDED_STATES.some((state) => state === data.state),
      );
      expect(ends, `${id} ends once a run`).toHaveLength(proof.run);
      if (proof.state !== 'succeeded') continue;
      expect(proof.partitions.every(({ state }) => state === 'proved')).toBe(true);
      const rejected = events.some(({ data }) => data.rejected !== undefined);
      for (const { index } of rejected || proof.run > 1 ? [] : proof.partitions) {
        const counted = events.filter(
          ({ data }) => data.partition === index && data.state === 'proved',
        );
        expect(counted, `partition ${index} counts once`).toHaveLength(1);
      }
    }
    const { redis, artifacts } = this.service;
    expect((await poolStatus(redis, HANDOFF_POOL)).usedBytes).toBe(0);
    expect(await redis.hlen(BUSY_KEY)).toBe(0);
    // As if a month had passed: nothing outlives its proof.
    await eventually(async () => {
      await sweepRetention(
        redis,
        artifacts,
        { c1KeptMs: 0, recordKeptMs: 1e12 },
        Date.now() + 10_000,
      );
      const left: string[] = [];
      for await (const { ref } of artifacts.list('proofs/')) {
        if (!ref.includes('public-inputs')) left.push(ref);
      }
      return left.length === 0;
    }, 5_000);
  }

  async permitBytes(): Promise<number> {
    return (await poolStatus(this.service.redis, HANDOFF_POOL)).usedBytes;
  }

  readonly eventually = eventually;

  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => setTimeout(resolve, ms));
  }

  async close(): Promise<void> {
    await Promise.all(this.#processes.map((child) => child.end('SIGKILL')));
    await this.service.close().catch(() => {});
    await this.redis.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Units that were taken from an owner that had fallen silent. */
export const lostIn = (events: readonly ProofEvent[]): number =>
  events.filter(({ data }) => data.lost !== undefined).length;
