import { setTimeout as delay } from 'node:timers/promises';
import {
  type ProcessEnd,
  type ProcessPlan,
  type StartedProcess,
  startProcess,
} from './started-process.ts';

/** First pause before a restart; it doubles with every early end up to the longest. */
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;
/** A process that has run this long is healthy: its next end starts again with the first pause. */
const HEALTHY_MS = 60_000;

export interface KeptProcessEvents {
  /** The process ended by itself; it is started again after `pauseMs`. */
  restarting(name: string, end: ProcessEnd, pauseMs: number): void;
}

/** A process that is started again whenever it ends, until it is closed. */
export class KeptProcess {
  readonly name: string;
  readonly #plan: ProcessPlan;
  readonly #events: KeptProcessEvents;
  readonly #closing = new AbortController();
  #current: StartedProcess;
  #lastEnd: ProcessEnd | null = null;
  readonly #watch: Promise<void>;

  private constructor(plan: ProcessPlan, first: StartedProcess, events: KeptProcessEvents) {
    this.name = plan.name;
    this.#plan = plan;
    this.#current = first;
    this.#events = events;
    this.#watch = this.#keep();
  }

  /** Starts it for the first time. Errors: SETUP_FAILED when there is no such program. */
  static async start(plan: ProcessPlan, events: KeptProcessEvents): Promise<KeptProcess> {
    return new KeptProcess(plan, await startProcess(plan), events);
  }

  get pid(): number {
    return this.#current.pid;
  }

  /** How it has ended by itself the last time; null when it never has. */
  get lastEnd(): ProcessEnd | null {
    return this.#lastEnd;
  }

  /** SIGTERM, SIGKILL after `graceMs`, no restart. */
  async close(graceMs: number): Promise<void> {
    this.#closing.abort();
    await this.#current.stop(graceMs);
    await this.#watch;
    await this.#current.stop(graceMs); // One that was being started meanwhile.
  }

  /** Leaves the process running and stops looking after it. */
  release(): void {
    this.#closing.abort();
    this.#current.release();
  }

  async #keep(): Promise<void> {
    let pauseMs = FIRST_PAUSE_MS;
    while (!this.#closing.signal.aborted) {
      const startedAt = performance.now();
      const end = await this.#current.ended;
      if (this.#closing.signal.aborted) return;
      if (performance.now() - startedAt > HEALTHY_MS) pauseMs = FIRST_PAUSE_MS;
      let started: StartedProcess | null = null;
      while (started === null) {
        this.#lastEnd = end;
        this.#events.restarting(this.name, end, pauseMs);
        await delay(pauseMs, undefined, { signal: this.#closing.signal }).catch(() => {});
        if (this.#closing.signal.aborted) return;
        // What cannot be started now (no memory, no file left to open) is tried again like what ended at once.
        started = await startProcess(this.#plan).catch(() => null);
        pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
      }
      this.#current = started;
    }
  }
}
