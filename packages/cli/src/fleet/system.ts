import { mkdirSync } from 'node:fs';
import { CuzkError } from '@cuzk/core/errors';
import type { CliConfig } from '../config.ts';
import { findFreePort } from './free-port.ts';
import { KeptProcess } from './kept-process.ts';
import { PeakMemory } from './peak-memory.ts';
import { redisPlan, waitForRedis } from './redis-server.ts';
import { SERVICE_NAMES, type ServiceName, servicePlan, systemFolders } from './service-plans.ts';
import type { ProcessEnd, ProcessPlan } from './started-process.ts';
import { waitForReady } from './wait-for-ready.ts';

const REDIS_START_TIMEOUT_MS = 30_000;
/** Services hand their work back within seconds; Redis writes its file and ends. */
const STOP_GRACE_MS = 15_000;

export interface SystemOptions {
  readonly config: CliConfig;
  /** Data of this system: redis/, artifacts/, logs/. */
  readonly folder: string;
  /** Port of the API on 127.0.0.1; undefined picks a free one. */
  readonly apiPort?: number;
  /** Where each process writes. */
  output(name: string): ProcessPlan['output'];
  /** One line when a process ended by itself. */
  onEvent(line: string): void;
}

/** Redis and the three services as processes of this machine, each restarted when it ends. */
export class System {
  readonly redisUrl: string;
  readonly memory = new PeakMemory();
  readonly #ports: Readonly<Record<ServiceName, number>>;
  readonly #processes: KeptProcess[];

  private constructor(
    ports: Readonly<Record<ServiceName, number>>,
    redisUrl: string,
    processes: KeptProcess[],
  ) {
    this.#ports = ports;
    this.redisUrl = redisUrl;
    this.#processes = processes;
  }

  /**
   * Starts everything, Redis first (none where the configuration names one); nothing is left behind when one
   * part does not start. Errors: SETUP_FAILED, REDIS_UNAVAILABLE.
   */
  static async start(options: SystemOptions): Promise<System> {
    const { config, output } = options;
    const folders = systemFolders(options.folder);
    mkdirSync(folders.logs, { recursive: true });
    const events = { restarting: reportRestart(options.onEvent) };
    const processes: KeptProcess[] = [];
    try {
      let redisUrl = config.redisUrl;
      if (redisUrl === undefined) {
        const port = await findFreePort();
        const { environment } = config;
        const plan = { port, folder: folders.redis, environment, output: output('redis') };
        processes.push(await KeptProcess.start(redisPlan(plan), events));
        await waitForRedis(port, REDIS_START_TIMEOUT_MS);
        redisUrl = `redis://127.0.0.1:${port}`;
      }
      const ports = {
        'synth-worker': await findFreePort(),
        'gpu-worker': await findFreePort(),
        api: options.apiPort ?? (await findFreePort()),
      };
      const settings = { config, redisUrl, ports, artifactDir: folders.artifacts };
      for (const name of SERVICE_NAMES) {
        processes.push(await KeptProcess.start(servicePlan(name, settings, output(name)), events));
      }
      return new System(ports, redisUrl, processes);
    } catch (error) {
      await closeAll(processes);
      throw error;
    }
  }

  get apiUrl(): string {
    return this.urlOf('api');
  }

  urlOf(name: ServiceName): string {
    return `http://127.0.0.1:${this.#ports[name]}`;
  }

  get processes(): readonly { readonly name: string; readonly pid: number }[] {
    return this.#processes;
  }

  /**
   * Waits until every service says that it is ready: pipelines warm, parameters loaded. Errors: SETUP_FAILED when a process ends before that or
   * the time is over; the reason of `signal` when it aborts.
   */
  async ready(options: {
    readonly timeoutMs: number;
    readonly signal: AbortSignal;
    onReason(reason: string): void;
  }): Promise<void> {
    const check = (): void => this.#requireRunning();
    for (const name of SERVICE_NAMES) {
      const onReason = (reason: string): void => options.onReason(`${name}: ${reason}`);
      await waitForReady(this.urlOf(name), { ...options, onReason, check });
    }
  }

  sampleMemory(): void {
    this.memory.sample(this.#processes);
  }

  /** Stops the services, then Redis, and waits until all are gone. */
  async close(): Promise<void> {
    await closeAll(this.#processes);
  }

  /** Leaves everything running without this process. */
  release(): void {
    for (const kept of this.#processes) kept.release();
  }

  #requireRunning(): void {
    const ended = this.#processes.find((kept) => kept.ends > 0);
    if (ended === undefined) return;
    throw new CuzkError('SETUP_FAILED', `${ended.name} ended while the system was starting`, {
      expected: 'every process running',
      found: `${ended.name} ended`,
      action: 'read the last lines of its log',
    });
  }
}

/** Redis was started first and ends last: the services write their state on the way out. */
async function closeAll(processes: readonly KeptProcess[]): Promise<void> {
  const services = processes.filter(({ name }) => name !== 'redis');
  await Promise.all(services.map((kept) => kept.close(STOP_GRACE_MS)));
  const redis = processes.find(({ name }) => name === 'redis');
  await redis?.close(STOP_GRACE_MS);
}

const reportRestart =
  (onEvent: (line: string) => void) =>
  (name: string, { code, signal }: ProcessEnd, pauseMs: number): void => {
    onEvent(`${name} ended with ${code ?? signal}; started again in ${pauseMs} ms`);
  };
