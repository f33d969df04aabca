import { mkdirSync } from 'node:fs';
import { CuzkError } from '@cuzk/core/errors';
import { BAD_SETTINGS_EXIT } from '@cuzk/service-kit/exit-code';
import { type CardMemory, readCardMemory } from '@cuzk/service-kit/memory/card-memory';
import type { CliConfig } from '../config.ts';
import { gibText } from '../terminal/figures.ts';
import { nvidiaCards, planCards, requireOwnCards } from './cards.ts';
import { requireNoUsers } from './folder-users.ts';
import { findFreePort } from './free-port.ts';
import { KeptProcess } from './kept-process.ts';
import { PeakMemory } from './peak-memory.ts';
import { redisPlan, waitForRedis } from './redis-server.ts';
import { type ServiceInstance, servicePlan, systemFolders, urlOf } from './service-plans.ts';
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

/**
 * Redis, the API, a synth-worker and a gpu-worker for each card, as processes of this machine, each restarted when it
 * ends.
 */
export class System {
  readonly redisUrl: string;
  readonly memory = new PeakMemory();
  readonly #services: readonly ServiceInstance[];
  readonly #processes: KeptProcess[];
  readonly #environment: Readonly<Record<string, string>>;
  /** Memory of the cards before anything was started. */
  readonly #cardsBefore: readonly CardMemory[];

  private constructor(
    environment: Readonly<Record<string, string>>,
    services: readonly ServiceInstance[],
    redisUrl: string,
    processes: KeptProcess[],
    cardsBefore: readonly CardMemory[],
  ) {
    this.#environment = environment;
    this.#services = services;
    this.redisUrl = redisUrl;
    this.#processes = processes;
    this.#cardsBefore = cardsBefore;
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
        requireNoUsers(folders);
        const port = await findFreePort();
        const { environment } = config;
        const plan = { port, folder: folders.redis, environment, output: output('redis') };
        processes.push(await KeptProcess.start(redisPlan(plan), events));
        await waitForRedis(port, REDIS_START_TIMEOUT_MS);
        redisUrl = `redis://127.0.0.1:${port}`;
      }
      const cards = config.gpu === 'software' ? [] : nvidiaCards();
      const { workers, problem } = planCards(cards, config.gpuWorkers);
      if (problem !== null) options.onEvent(problem);
      const cardsBefore = workers.length > 1 ? readCardMemory() : [];
      const services = await instancesOf(workers, options.apiPort);
      const settings = { config, redisUrl, artifactDir: folders.artifacts, cards };
      for (const each of services) {
        const plan = servicePlan(each, settings, output(each.name));
        processes.push(await KeptProcess.start(plan, events));
      }
      return new System(config.environment, services, redisUrl, processes, cardsBefore);
    } catch (error) {
      await closeAll(processes);
      throw error;
    }
  }

  get apiUrl(): string {
    const api = this.#services.find(({ service }) => service === 'api') as ServiceInstance;
    return urlOf(api, this.#environment);
  }

  get processes(): readonly { readonly name: string; readonly pid: number }[] {
    return this.#processes;
  }

  /**
   * Waits until every service says that it is ready: pipelines warm, parameters loaded, each gpu-worker on a card of
   * its own. Errors: SETUP_FAILED when a process ends before that, the time is over or two workers share a card; the
   * reason of `signal` when it aborts.
   */
  async ready(options: {
    readonly timeoutMs: number;
    readonly signal: AbortSignal;
    onReason(reason: string): void;
  }): Promise<void> {
    const check = (): void => this.#requireRunning();
    for (const each of this.#services) {
      const onReason = (reason: string): void => options.onReason(`${each.name}: ${reason}`);
      await waitForReady(urlOf(each, this.#environment), { ...options, onReason, check });
    }
    const workers = this.#services.filter(({ service }) => service === 'gpu-worker').length;
    if (workers < 2) return;
    const gained = requireOwnCards(workers, this.#cardsBefore, readCardMemory());
    options.onReason(`one gpu-worker a card, by device memory: ${gained.map(gibText).join(', ')}`);
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
    const ended = this.#processes.find(({ lastEnd }) => lastEnd !== null);
    if (ended === undefined) return;
    if (ended.lastEnd?.code === BAD_SETTINGS_EXIT) {
      throw new CuzkError('CONFIG_INVALID', `${ended.name} cannot use its settings`, {
        expected: 'settings as docs/settings.md describes them',
        found: 'the last lines of its log name all that are wrong',
      });
    }
    throw new CuzkError('SETUP_FAILED', `${ended.name} ended while the system was starting`, {
      expected: 'every process running',
      found: `${ended.name} ended`,
      action: 'read the last lines of its log',
    });
  }
}

/** A gpu-worker for each card, the rest once. */
async function instancesOf(
  cards: readonly (string | null)[],
  apiPort: number | undefined,
): Promise<ServiceInstance[]> {
  const single = { instance: 0, card: null };
  const workers = cards.map(async (card, instance) => ({
    ...{ name: instance === 0 ? 'gpu-worker' : `gpu-worker-${instance}`, instance, card },
    ...{ service: 'gpu-worker' as const, port: await findFreePort() },
  }));
  return [
    { ...single, name: 'synth-worker', service: 'synth-worker', port: await findFreePort() },
    ...(await Promise.all(workers)),
    { ...single, name: 'api', service: 'api', port: apiPort ?? (await findFreePort()) },
  ];
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
