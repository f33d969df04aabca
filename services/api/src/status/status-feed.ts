import type { Service } from '@cuzk/service-kit/open-service';
import { FleetReader, type FleetReading } from './fleet-reading.ts';
import { changeBetween, type StatusChange } from './status-change.ts';
import type { StatusView } from './status-types.ts';
import { type ServiceFacts, statusView } from './status-view.ts';

/** Changes come in bursts: the fleet is read this long after the first one … */
const SETTLE_MS = 150;
/** … and this often anyway, for levels that no event tells of. */
const POLL_MS = 1_000;

interface FeedListener {
  change(change: StatusChange): void;
}

/** One reader of the fleet for all who watch it; it reads only while somebody does. */
export class StatusFeed {
  readonly #service: Service;
  readonly #facts: Omit<ServiceFacts, 'startedAtMs'>;
  readonly #reader: FleetReader;
  readonly #listeners = new Set<FeedListener>();
  #last: FleetReading | null = null;
  #loop: Promise<void> | null = null;

  constructor(service: Service, facts: Omit<ServiceFacts, 'startedAtMs'>) {
    this.#service = service;
    this.#facts = facts;
    this.#reader = new FleetReader(service);
  }

  /** The status now. */
  async status(): Promise<StatusView> {
    return this.#viewNow(await this.#reader.read());
  }

  /** Calls `listener` with every change after the status that this gives. */
  async subscribe(listener: FeedListener): Promise<{ status: StatusView; stop: () => void }> {
    const reading = this.#last ?? (await this.#reader.read());
    this.#last ??= reading; // Another one may have come first, and its readers count from there.
    // Nothing may come between the status that is told and the changes that follow on it.
    const status = this.#viewNow(this.#last);
    this.#listeners.add(listener);
    this.#loop ??= this.#run();
    return { status, stop: () => void this.#listeners.delete(listener) };
  }

  get listeners(): number {
    return this.#listeners.size;
  }

  /** By the clock of Redis, as all times of records are. */
  #viewNow(reading: FleetReading): StatusView {
    const nowMs = Date.now() + this.#reader.skewMs;
    const startedAtMs = nowMs - process.uptime() * 1000;
    return statusView(reading, { ...this.#facts, startedAtMs }, nowMs);
  }

  /** Without what runs on with the clock. */
  #viewStill(reading: FleetReading): StatusView {
    return statusView(reading, { ...this.#facts, startedAtMs: 0 }, 0);
  }

  async #run(): Promise<void> {
    while (this.#listeners.size > 0) {
      await this.#nextOccasion();
      // Redis is away: the next round says how things stand then.
      const reading = await this.#reader.read().catch((error: unknown) => {
        this.#service.logger.debug({ err: error }, 'status was not read');
        return null;
      });
      if (reading !== null) this.#tell(reading);
    }
    this.#loop = null;
    this.#last = null;
  }

  #tell(reading: FleetReading): void {
    const before = this.#last;
    this.#last = reading;
    if (before === null) return;
    const shown = this.#viewNow(reading);
    const change = changeBetween(this.#viewStill(before), this.#viewStill(reading), shown);
    if (change === null) return;
    for (const listener of this.#listeners) listener.change(change);
  }

  async #nextOccasion(): Promise<void> {
    let stop: () => void = () => {};
    const changed = new Promise<void>((resolve) => {
      stop = this.#service.notifications.onAny(resolve);
    });
    const timer = new AbortController();
    try {
      await Promise.race([changed, pause(POLL_MS, timer.signal)]);
    } finally {
      stop();
      timer.abort();
    }
    await pause(SETTLE_MS);
  }
}

function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
