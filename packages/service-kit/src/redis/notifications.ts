import type { Redis } from 'ioredis';
import type { Logger } from '../logger.ts';
import { duplicateRedis } from './connection.ts';
import { DISPATCHABLE_CHANNEL, NOTIFY_CHANNEL, STOP_CHANNEL } from './keys.ts';

type Listener = (proofId: string) => void;

/** One subscriber connection per process: who must stop work, and in an API who listens to a proof's events. */
export class Notifications {
  readonly #redis: Redis;
  readonly #byProof = new Map<string, Set<() => void>>();
  readonly #onStop = new Set<Listener>();
  readonly #onAny = new Set<() => void>();
  readonly #onDispatchable = new Set<() => void>();

  private constructor(redis: Redis) {
    this.#redis = redis;
    redis.on('message', (channel: string, proofId: string) => {
      if (channel === STOP_CHANNEL) for (const listener of this.#onStop) listener(proofId);
      else if (channel === DISPATCHABLE_CHANNEL) {
        for (const listener of this.#onDispatchable) listener();
      } else {
        for (const listener of this.#byProof.get(proofId) ?? []) listener();
        for (const listener of this.#onAny) listener();
      }
    });
  }

  /** `events`: this process has readers of events; others are not sent a word for each change of every proof. */
  static async open(redis: Redis, logger: Logger, events: boolean): Promise<Notifications> {
    const own = await duplicateRedis(redis, 'notifications', logger);
    await own.subscribe(STOP_CHANNEL, ...(events ? [NOTIFY_CHANNEL] : []));
    return new Notifications(own);
  }

  /** Calls `listener` when the proof's event stream may have grown. Returns the way to stop it. */
  onProof(proofId: string, listener: () => void): () => void {
    const listeners = this.#byProof.get(proofId) ?? new Set();
    this.#byProof.set(proofId, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0) this.#byProof.delete(proofId);
    };
  }

  /** Calls `listener` at every change of any proof. */
  onAny(listener: () => void): () => void {
    this.#onAny.add(listener);
    return () => this.#onAny.delete(listener);
  }

  /** Calls `listener` when something that waits for dispatch may go: a permit came free, or a partition came. */
  onDispatchable(listener: () => void): () => void {
    if (this.#onDispatchable.size === 0)
      this.#redis.subscribe(DISPATCHABLE_CHANNEL).catch(() => {}); // Asked again after every reconnect.
    this.#onDispatchable.add(listener);
    return () => this.#onDispatchable.delete(listener);
  }

  /** Calls `listener` with the id of a proof whose running work shall stop. */
  onStop(listener: Listener): () => void {
    this.#onStop.add(listener);
    return () => this.#onStop.delete(listener);
  }

  close(): void {
    this.#redis.disconnect();
  }
}
