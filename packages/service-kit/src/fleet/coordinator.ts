import type { Service } from '../open-service.ts';
import { STAGES } from '../record/types.ts';
import { watchReconnects } from '../redis/reconnect-watch.ts';
import { redisTimeMs } from '../redis/redis-time.ts';
import { holdLease, leaveLease } from './coordinator-lease.ts';
import { type DispatchStop, keepStop } from './dispatch-stop.ts';
import { type DispatchLimits, dispatchAll } from './dispatcher.ts';
import { reconcile } from './reconciler.ts';
import { offerCopies } from './second-copies.ts';

const LEASE = 'coordinator';
const TICK_MS = 2_000;
/** Looked for at most this often, however many changes there are. */
const COPIES_EVERY_MS = 200;
/** Owners get this long after Redis came back to say that they live. */
const QUIET_AFTER_RECONNECT_MS = 15_000;

export interface CoordinatorOptions extends DispatchLimits {
  readonly tickMs?: number;
  readonly silentMs?: number;
  readonly quietMs?: number;
}

/**
 * Dispatcher and reconciler of the fleet. Every synth-worker runs one; the one that holds the lease acts: it
 * reconciles at each tick, and dispatches at each tick and after every change of a proof (a permit may have
 * come free).
 */
export class Coordinator {
  readonly #service: Service;
  readonly #options: CoordinatorOptions;
  readonly #sinceReconnect: () => number;
  readonly #timer: NodeJS.Timeout;
  readonly #stopListening: () => void;
  #tail: Promise<void> = Promise.resolve();
  #dispatchQueued = false;
  #leader = false;
  /** When a step failed last: then others could not say either that they live. */
  #troubleAt = Number.NEGATIVE_INFINITY;
  #closed = false;
  #stop: DispatchStop['outcome'] | null = null;
  #copiesAt = Number.NEGATIVE_INFINITY;

  constructor(service: Service, options: CoordinatorOptions) {
    this.#service = service;
    this.#options = options;
    this.#sinceReconnect = watchReconnects(service.redis);
    // A count that has never been zero has no increase when it becomes one.
    for (const stage of STAGES) service.metrics.count('cuzk_units_requeued', { stage }, 0);
    this.#timer = setInterval(() => this.#enqueue(() => this.#tick()), options.tickMs ?? TICK_MS);
    this.#stopListening = service.notifications.onAny(() => this.#changed());
    this.#enqueue(() => this.#tick());
  }

  /** True while this process is the one that acts. */
  get leader(): boolean {
    return this.#leader;
  }

  /** Any number of changes during one dispatch make one more. */
  #changed(): void {
    if (!this.#leader || this.#dispatchQueued) return;
    this.#dispatchQueued = true;
    this.#enqueue(async () => {
      this.#dispatchQueued = false;
      if (this.#leader) await this.#dispatch();
    });
  }

  #enqueue(step: () => Promise<void>): void {
    if (this.#closed) return;
    this.#tail = this.#tail.then(step).catch((error: unknown) => {
      this.#leader = false;
      this.#troubleAt = performance.now();
      this.#service.logger.warn({ err: error }, 'coordinator step failed');
    });
  }

  async #tick(): Promise<void> {
    const { redis, queues, identity, logger, metrics } = this.#service;
    this.#leader = await holdLease(redis, LEASE, identity.owner);
    if (!this.#leader) return;
    const { quietMs = QUIET_AFTER_RECONNECT_MS, silentMs } = this.#options;
    const { units, lost, expired } = await reconcile(redis, {
      ...(silentMs === undefined ? {} : { silentMs }),
      judgeSilence:
        Math.min(this.#sinceReconnect(), performance.now() - this.#troubleAt) >= quietMs,
    });
    for (const unit of lost) {
      metrics.count('cuzk_units_requeued', { stage: unit.stage });
      logger.warn({ ...unit }, 'work taken from a silent owner');
    }
    for (const proofId of expired) logger.info({ proofId }, 'deadline passed');
    await queues.addUnits(units);
    for (const unit of await queues.mendSome(units)) {
      logger.warn({ ...unit }, 'job was in no list of its queue');
    }
    this.#stop = null; // Said again at every tick, so that it does not run out.
    await this.#dispatch();
  }

  async #dispatch(): Promise<void> {
    const { redis, queues, logger } = this.#service;
    const { units, stopped } = await dispatchAll(redis, this.#options);
    await queues.addUnits(units);
    if (stopped.outcome !== this.#stop) {
      this.#stop = stopped.outcome;
      await keepStop(redis, stopped);
    }
    if (performance.now() - this.#copiesAt < COPIES_EVERY_MS) return;
    this.#copiesAt = performance.now();
    const copies = await offerCopies(redis, await redisTimeMs(redis));
    for (const { proofId, partition } of copies) logger.info({ proofId, partition }, 'second copy');
    await queues.addUnits(copies);
  }

  /** Stops and gives the lease to the next. */
  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#timer);
    this.#stopListening();
    await this.#tail;
    await leaveLease(this.#service.redis, LEASE, this.#service.identity.owner);
  }
}
