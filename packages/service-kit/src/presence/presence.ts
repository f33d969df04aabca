import type { Redis } from 'ioredis';
import type { InFlight } from '../buffers-in-flight.ts';
import type { Logger } from '../logger.ts';
import type { ProofSource } from '../record/types.ts';
import { PRESENCE_KEY, presenceKey } from '../redis/keys.ts';
import { redisTimeMs } from '../redis/redis-time.ts';
import { runScript } from '../redis/scripts.ts';
import type { WorkerIdentity, WorkerRole } from './identity.ts';
import { OWNER_SILENT_MS, PRESENCE_KEPT_MS, PRESENCE_REFRESH_MS } from './limits.ts';

/** What a worker publishes about itself. Small; read by the API, the dispatcher and other workers' claims. */
export interface PresenceFacts {
  readonly ready: boolean;
  /** Why not ready, or what it is doing. */
  readonly status: string;
  /** Circuits whose parameters are loaded (gpu-worker). */
  readonly circuits?: readonly string[];
  readonly parameters?: ProofSource;
  /** Parameter files it would need and does not have. */
  readonly wantedFiles?: readonly string[];
  readonly adapter?: string;
  /** Units it runs at once. */
  readonly slots?: number;
  /** Measured seconds a partition of each circuit takes. */
  readonly secondsPerPartition?: Readonly<Record<string, number>>;
  /** Bytes on the device by buffer class (gpu-worker). */
  readonly deviceBytes?: Readonly<Record<string, number>>;
}

/** What is read anew at every refresh, for people who watch: levels of this process. */
export interface PresenceLevels {
  /** Resident bytes of this process and of those it started. */
  readonly residentBytes: number;
  /** Buffers held between stages. */
  readonly buffers: readonly InFlight[];
}

export interface WorkerPresence {
  readonly owner: string;
  readonly name: string;
  readonly role: WorkerRole;
  readonly node: string;
  /** Unix ms (Redis clock). */
  readonly seenAt: number;
  readonly silent: boolean;
  readonly facts: PresenceFacts;
  readonly levels: PresenceLevels | null;
  /** Job ids it holds. */
  readonly holds: readonly string[];
}

/** Says every two seconds that this process lives, what it can do and which units it holds. */
export class Presence {
  readonly #redis: Redis;
  readonly #identity: WorkerIdentity;
  readonly #logger: Logger;
  readonly #holds = new Set<string>();
  readonly #timer: NodeJS.Timeout;
  #facts: PresenceFacts = { ready: false, status: 'starting' };
  #readLevels: (() => PresenceLevels) | null = null;
  #left = false;
  /** Refreshes that Redis has not answered. */
  #refreshing = 0;

  constructor(redis: Redis, identity: WorkerIdentity, logger: Logger) {
    this.#redis = redis;
    this.#identity = identity;
    this.#logger = logger;
    // While Redis is away the one that waits stands for all.
    this.#timer = setInterval(() => {
      if (this.#refreshing === 0) void this.refresh();
    }, PRESENCE_REFRESH_MS);
  }

  /** Publishes other facts from now on. */
  publish(facts: PresenceFacts): Promise<void> {
    this.#facts = facts;
    return this.refresh();
  }

  /** Publishes what `read` says with every refresh from now on. */
  watchLevels(read: () => PresenceLevels): void {
    this.#readLevels = read;
  }

  /** A claimed unit: an owner that lives but does not list its unit has lost it. */
  hold(jobId: string): void {
    this.#holds.add(jobId);
  }

  letGo(jobId: string): void {
    this.#holds.delete(jobId);
  }

  async refresh(): Promise<void> {
    if (this.#left) return;
    const { owner, name, role, node } = this.#identity;
    const levels = this.#readLevels?.() ?? null;
    const facts = JSON.stringify({ ...this.#facts, role, node, levels });
    const holds = JSON.stringify([...this.#holds]);
    const speeds = speedsOf(this.#facts);
    const args = { action: 'refresh', owner, name, facts, holds, speeds, keepMs: PRESENCE_KEPT_MS };
    this.#refreshing++;
    await runScript(this.#redis, 'presence', args)
      .catch((error: unknown) => this.#logger.warn({ err: error }, 'presence was not refreshed'))
      .finally(() => {
        this.#refreshing--;
      });
  }

  /** Takes the process off the list: an orderly end is not silence. */
  async leave(): Promise<void> {
    this.#left = true;
    clearInterval(this.#timer);
    await runScript(this.#redis, 'presence', { action: 'leave', owner: this.#identity.owner });
  }
}

/** Seconds by circuit, of what this worker can prove now. */
function speedsOf({ ready, circuits = [], secondsPerPartition = {} }: PresenceFacts): object {
  const able = Object.entries(secondsPerPartition).filter(([id]) => ready && circuits.includes(id));
  return Object.fromEntries(able);
}

/** Every worker heard of in the last minute. */
export async function readPresence(redis: Redis): Promise<readonly WorkerPresence[]> {
  const now = await redisTimeMs(redis);
  const listed = await redis.zrange(PRESENCE_KEY, '0', '-1', 'WITHSCORES');
  const workers: WorkerPresence[] = [];
  for (let i = 0; i < listed.length; i += 2) {
    const owner = String(listed[i]);
    const seenAt = Number(listed[i + 1]);
    const [name, facts, holds] = await redis.hmget(presenceKey(owner), 'name', 'facts', 'holds');
    if (!name || !facts) continue;
    const { role, node, levels, ...rest } = JSON.parse(facts) as PresenceFacts & {
      role: WorkerRole;
      node: string;
      levels?: PresenceLevels | null;
    };
    const silent = now - seenAt > OWNER_SILENT_MS;
    const held = JSON.parse(holds ?? '[]') as string[];
    workers.push({
      ...{ owner, name, role, node, seenAt, silent },
      facts: rest,
      levels: levels ?? null,
      holds: held,
    });
  }
  return workers;
}
