import type { Metrics } from './metrics.ts';

/** What a buffer holds. The device reports its own classes apart, as GPU memory. */
export type BufferClass = 'c1' | 'partition_input' | 'witness' | 'proof';
/** Where it is held. */
export type BufferStage = 'accept' | 'ingest' | 'synthesize' | 'prove' | 'finalize';

/** One buffer that is held. */
export interface HeldBuffer {
  /** Its size became known, or changed. */
  resize(bytes: number): void;
  /** Gives it up. Safe to repeat: a buffer counts once, however it ends. */
  release(): void;
}

export interface InFlight {
  readonly class: BufferClass;
  readonly stage: BufferStage;
  readonly buffers: number;
  readonly bytes: number;
}

/**
 * Counts the buffers of this process by class and stage, from when one is held until it is given up. The counts are
 * sums over the buffers that are held, so that they cannot go below zero and cannot drift, whatever is released
 * twice or never was held: the counters by which cuzk found a leak of 373 GiB.
 */
export class BuffersInFlight {
  readonly #held = new Map<symbol, { class: BufferClass; stage: BufferStage; bytes: number }>();
  /** Every pair that was ever held is reported, so that zero is seen as zero. */
  readonly #known = new Map<string, { class: BufferClass; stage: BufferStage }>();

  constructor(metrics: Metrics) {
    metrics.observe('cuzk_buffers_in_flight', (observe) => {
      for (const { buffers, ...labels } of this.read()) {
        observe(buffers, { class: labels.class, stage: labels.stage });
      }
    });
    metrics.observe('cuzk_buffers_in_flight_bytes', (observe) => {
      for (const { bytes, ...labels } of this.read()) {
        observe(bytes, { class: labels.class, stage: labels.stage });
      }
    });
  }

  /** Counts a buffer of `bytes` (0: not known yet). Throws RangeError on a negative or broken size. */
  hold(bufferClass: BufferClass, stage: BufferStage, bytes: number): HeldBuffer {
    const key = Symbol(bufferClass);
    this.#known.set(`${bufferClass} ${stage}`, { class: bufferClass, stage });
    this.#held.set(key, { class: bufferClass, stage, bytes: requireSize(bytes) });
    return {
      resize: (size) => {
        const held = this.#held.get(key);
        if (held !== undefined) held.bytes = requireSize(size);
      },
      release: () => void this.#held.delete(key),
    };
  }

  /** What is held now, by class and stage, with zeros for what was held before. */
  read(): readonly InFlight[] {
    return [...this.#known.values()].map((pair) => {
      const own = [...this.#held.values()].filter(
        (held) => held.class === pair.class && held.stage === pair.stage,
      );
      return {
        ...pair,
        buffers: own.length,
        bytes: own.reduce((sum, held) => sum + held.bytes, 0),
      };
    });
  }
}

function requireSize(bytes: number): number {
  if (Number.isSafeInteger(bytes) && bytes >= 0) return bytes;
  throw new RangeError(`bytes: expected an integer from 0, got ${bytes}`);
}
