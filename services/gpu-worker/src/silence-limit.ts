/** A device without news for this many times its longest pause so far hangs. */
const FACTOR = 10;
/** News come once a second; garbage collection and a loaded machine are no hang. */
const LEAST_MS = 10_000;

/**
 * How long a request may be without news before its device counts as hung: ten times the longest pause that a
 * request of its kind has made, once one has ended well; until then, and at most, the configured time.
 */
export class SilenceLimit {
  readonly #mostMs: number;
  readonly #longestMs = new Map<string, number>();
  /** Pauses of requests that have not ended yet. */
  readonly #pausesMs = new Map<number, number>();

  constructor(mostMs: number) {
    this.#mostMs = mostMs;
  }

  /** News of a request came after so long. */
  paused(request: number, ms: number): void {
    this.#pausesMs.set(request, Math.max(this.#pausesMs.get(request) ?? 0, ms));
  }

  /** A request has ended; only one that went well says what is usual. */
  ended(request: number, kind: string, well: boolean): void {
    const pauseMs = this.#pausesMs.get(request);
    this.#pausesMs.delete(request);
    if (!well || pauseMs === undefined) return;
    this.#longestMs.set(kind, Math.max(this.#longestMs.get(kind) ?? 0, pauseMs));
  }

  msFor(kind: string): number {
    const longestMs = this.#longestMs.get(kind);
    if (longestMs === undefined) return this.#mostMs;
    return Math.min(this.#mostMs, Math.max(LEAST_MS, FACTOR * longestMs));
  }
}
