import type { Logger } from '../logger.ts';

const WARNING_EVERY_MS = 60_000;

/** Says that telemetry got lost at most once a minute, with what was lost since the last time. */
export class SeldomWarning {
  readonly #logger: Logger;
  readonly #nowMs: () => number;
  #lost = 0;
  #saidAt = Number.NEGATIVE_INFINITY;

  constructor(logger: Logger, nowMs: () => number = () => performance.now()) {
    this.#logger = logger;
    this.#nowMs = nowMs;
  }

  /** `items` of `signal` (spans, metrics) were not delivered. */
  lost(signal: string, items: number, error: unknown): void {
    this.#lost += items;
    const now = this.#nowMs();
    if (now - this.#saidAt < WARNING_EVERY_MS) return;
    this.#logger.warn({ err: error, signal, lost: this.#lost }, 'telemetry was not delivered');
    this.#saidAt = now;
    this.#lost = 0;
  }
}
