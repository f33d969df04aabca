/** A unit is taken this long before the device can begin it: enough to fetch, check and upload its witness. */
const AHEAD_MS = 2_000;

/** A unit that takes this many times as long as the one before may hang: nothing is taken behind it. */
const LATE = 2;

/** A unit on its way through the device. */
export interface LinedUp {
  /** The device has begun it. */
  begun(): void;
  /** It is done with the device, well or not. Safe to repeat. */
  left(well: boolean): void;
}

interface Place {
  readonly kind: string;
  begunAtMs: number | null;
}

/**
 * Which units wait for the device or are on it, and how long a unit of each kind takes it: tells when it is time to
 * take the next one. Taking it earlier than needed would keep it from others and from more urgent work.
 */
export class DeviceLine {
  readonly #places = new Set<Place>();
  readonly #lastMs = new Map<string, number>();
  readonly #expectedMs = new Map<string, number>();
  readonly #nowMs: () => number;

  constructor(nowMs: () => number = () => performance.now()) {
    this.#nowMs = nowMs;
  }

  /** A unit was taken; from now on it counts, until it leaves. */
  enter(kind: string): LinedUp {
    const place: Place = { kind, begunAtMs: null };
    this.#places.add(place);
    return {
      begun: () => {
        place.begunAtMs = this.#nowMs();
      },
      left: (well) => {
        if (!this.#places.delete(place)) return;
        if (well && place.begunAtMs !== null) {
          this.#lastMs.set(kind, this.#nowMs() - place.begunAtMs);
        }
      },
    };
  }

  /** What a unit of this kind takes the device as far as is known before there was one. */
  expect(kind: string, ms: number): void {
    this.#expectedMs.set(kind, ms);
  }

  /** Seconds that the last unit of each kind had the device. */
  seconds(): Record<string, number> {
    return Object.fromEntries([...this.#lastMs].map(([kind, ms]) => [kind, ms / 1000]));
  }

  /**
   * ms until a further unit could begin: 0 for an idle device only; null while it is too early to take one, or nothing
   * is known.
   */
  beginsInMs(): number | null {
    const [place, ...others] = this.#places;
    if (place === undefined) return 0;
    const lastMs = this.#lastMs.get(place.kind) ?? this.#expectedMs.get(place.kind);
    if (others.length > 0 || place.begunAtMs === null || lastMs === undefined) return null;
    const elapsedMs = this.#nowMs() - place.begunAtMs;
    if (elapsedMs > LATE * lastMs) return null;
    const leftMs = Math.max(1, lastMs - elapsedMs);
    return leftMs <= AHEAD_MS ? leftMs : null;
  }
}
