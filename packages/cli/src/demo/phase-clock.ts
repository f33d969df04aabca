import type { WaterfallSpan } from '../terminal/waterfall.ts';

/** Times named steps on one axis that begins when the clock is made. */
export class PhaseClock {
  readonly #startedAt = performance.now();
  readonly #spans: WaterfallSpan[] = [];

  get seconds(): number {
    return (performance.now() - this.#startedAt) / 1000;
  }

  get spans(): readonly WaterfallSpan[] {
    return this.#spans;
  }

  /** Runs a step and keeps its time, also when it fails. */
  async run<T>(name: string, step: () => Promise<T>): Promise<T> {
    const startSeconds = this.seconds;
    try {
      return await step();
    } finally {
      this.#spans.push({ name, startSeconds, seconds: this.seconds - startSeconds });
    }
  }
}
