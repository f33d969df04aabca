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
  readonly #facts: ServiceFacts;
  readonly #reader: FleetReader;
  readonly #listeners = new Set<FeedListener>();
  #last: FleetReading | null = null;
  #loop: Promise<void> | null = null;

  constructor(service: Service, facts: ServiceFacts) {
    this.#service = service;
    this.#facts = facts;
    this.#reader = new FleetReader(service);
  }

  /** The status now. */
  async status(): Promise<StatusView> {
    return this.#view(await this.#reader.read(), Date.now());
  }

  /** Calls `listener` with every change after the status that this gives. */
  async subscribe(listener: FeedListener): Promise<{ status: StatusView; stop: () => void }> {
    const reading = this.#last ?? (await this.#reader.read());
    this.#last ??= reading; // Another one may have come first, and its readers count from there.
    // Nothing may come between the status that is told and the changes that follow on it.
    const status = this.#view(this.#last, Date.now());
    this.#listeners.add(listener);
    this.#loop ??= this.#run();
    return { status, stop: () => void this.#listeners.delete(listener) };
  }

  get listeners(): number {
    return this.#listeners.size;
  }

  #view(reading: FleetReading, nowMs: number): StatusView {
    return statusView(reading, this.#facts, nowMs);
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
    const shown = this.#view(reading, Date.now());
    const change = changeBetween(this.#view(before, 0), this.#view(reading, 0), shown);
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
