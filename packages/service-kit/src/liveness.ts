import type { Redis } from 'ioredis';
import type { UnansweredMs } from './redis/unanswered.ts';
import { within } from './within.ts';

/** Queue workers ask for jobs again after at most ten seconds; six times that is a dead connection. */
const SILENT_MS = 60_000;
const PING_MS = 2_000;

export interface LivenessAnswer {
  readonly alive: boolean;
  /** Why not, in words; "ok" when alive. */
  readonly status: string;
}

/**
 * Whether this process should be restarted: a connection that waits for jobs is dead although Redis answers on
 * another one. While Redis itself is away a restart helps nobody. That the event loop is alive shows in the answer.
 */
export class Liveness {
  readonly #redis: Redis;
  readonly #silentMs: number;
  readonly #watched = new Map<string, UnansweredMs>();

  constructor(redis: Redis, silentMs: number = SILENT_MS) {
    this.#redis = redis;
    this.#silentMs = silentMs;
  }

  /** From now on a command of this connection must not stay unanswered for a minute. */
  watch(name: string, unansweredMs: UnansweredMs): void {
    this.#watched.set(name, unansweredMs);
  }

  async check(): Promise<LivenessAnswer> {
    const silent = [...this.#watched].filter(([, ms]) => ms() > this.#silentMs);
    if (silent.length === 0 || !(await this.#redisAnswers())) return { alive: true, status: 'ok' };
    const names = silent.map(([name]) => name).join(', ');
    return { alive: false, status: `no answer on the connection of ${names}` };
  }

  async #redisAnswers(): Promise<boolean> {
    let answered = false;
    const ping = this.#redis.ping().then(
      () => {
        answered = true;
      },
      () => {},
    );
    await within(ping, PING_MS);
    return answered;
  }
}
