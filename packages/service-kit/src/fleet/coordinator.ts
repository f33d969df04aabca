import type { Service } from '../open-service.ts';
import { STAGES } from '../record/types.ts';
import { watchReconnects } from '../redis/reconnect-watch.ts';
import { redisTimeMs } from '../redis/redis-time.ts';
import { holdLease, leaveLease } from './coordinator-lease.ts';
import { type DispatchStop, keepStop } from './dispatch-stop.ts';
import { type DispatchLimits, dispatchAll } from './dispatcher.ts';
import { reconcile } from './reconciler.ts';
import { offerCopies } from './second-copies.ts';
import { type Throttled, throttled } from './throttled.ts';

const LEASE = 'coordinator';
const TICK_MS = 2_000;
/** Between two dispatches: what comes free meanwhile goes together. Nothing beside the time that a partition takes. */
const DISPATCH_EVERY_MS = 20;
/** How often a leader looks for partitions that an idle prover should repeat; a partition takes seconds. */
const COPIES_EVERY_MS = 500;
/** Owners get this long after Redis came back to say that they live. */
const QUIET_AFTER_RECONNECT_MS = 15_000;

export interface CoordinatorOptions extends DispatchLimits {
  readonly tickMs?: number;
  readonly silentMs?: number;
  readonly quietMs?: number;
}

/**
 * Dispatcher and reconciler of the fleet. Every synth-worker runs one; the one that holds the lease acts: it
 * reconciles at each tick, and dispatches at each tick and when a permit came free or a partition came that waits
 * for one.
 */
export class Coordinator {
  readonly #service: Service;
  readonly #options: CoordinatorOptions;
  readonly #sinceReconnect: () => number;
  readonly #timer: NodeJS.Timeout;
  readonly #stopListening: () => void;
  #tail: Promise<void> = Promise.resolve();
  readonly #dispatchSoon: Throttled;
  readonly #copiesSoon: Throttled;
  readonly #copying: NodeJS.Timeout;
  #leader = false;
  /** When a step failed last: then others could not say either that they live. */
  #troubleAt = Number.NEGATIVE_INFINITY;
  #closed = false;
  #ticking = false;
  #stop: DispatchStop['outcome'] | null = null;

  constructor(service: Service, options: CoordinatorOptions) {
    this.#service = service;
    this.#options = options;
    this.#sinceReconnect = watchReconnects(service.redis);
    // A count that has never been zero has no increase when it becomes one.
    for (const stage of STAGES) service.metrics.count('cuzk_units_requeued', { stage }, 0);
    this.#timer = setInterval(() => this.#tickSoon(), options.tickMs ?? TICK_MS);
    this.#dispatchSoon = throttled(DISPATCH_EVERY_MS, () => this.#lead(() => this.#dispatch()));
    this.#copiesSoon = throttled(COPIES_EVERY_MS, () => this.#lead(() => this.#offerCopies()));
    this.#copying = setInterval(() => this.#leader && this.#copiesSoon.ask(), COPIES_EVERY_MS);
    this.#stopListening = service.notifications.onDispatchable(
      () => this.#leader && this.#dispatchSoon.ask(),
    );
    this.#tickSoon();
  }

  /** True while this process is the one that acts. */
  get leader(): boolean {
    return this.#leader;
  }

  /** Runs a step after those before it, if this process still leads then. */
  async #lead(step: () => Promise<void>): Promise<void> {
    await this.#enqueue(async () => {
      if (this.#leader) await step();
    });
  }

  async #enqueue(step: () => Promise<void>): Promise<void> {
    if (this.#closed) return;
    this.#tail = this.#tail.then(step).catch((error: unknown) => {
      this.#leader = false;
      this.#troubleAt = performance.now();
      this.#service.logger.warn({ err: error }, 'coordinator step failed');
    });
    await this.#tail;
  }

  /**
   * One that has not ended stands for those that are due meanwhile: while Redis is away hours of them would pile up.
   */
  #tickSoon(): void {
    if (this.#ticking) return;
    this.#ticking = true;
    void this.#enqueue(() => this.#tick()).finally(() => {
      this.#ticking = false;
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
      logger.warn({ ...unit }, 'job would not have run, and was made anew');
    }
    this.#stop = null; // Said again at every tick, so that it does not run out.
    await this.#dispatch();
  }

  async #dispatch(): Promise<void> {
    const { redis, queues } = this.#service;
    const { units, stopped } = await dispatchAll(redis, this.#options);
    await queues.addUnits(units);
    if (stopped.outcome !== this.#stop) {
      this.#stop = stopped.outcome;
      await keepStop(redis, stopped);
    }
  }

  async #offerCopies(): Promise<void> {
    const { redis, queues, logger } = this.#service;
    const copies = await offerCopies(redis, await redisTimeMs(redis));
    for (const { proofId, partition } of copies) logger.info({ proofId, partition }, 'second copy');
    await queues.addUnits(copies);
  }

  /** Stops and gives the lease to the next. */
  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#timer);
    clearInterval(this.#copying);
    this.#stopListening();
    this.#dispatchSoon.stop();
    this.#copiesSoon.stop();
    await this.#tail;
    await leaveLease(this.#service.redis, LEASE, this.#service.identity.owner);
  }
}
