import { FR_MODULUS } from '@cuzk/core/field/fr';
import type { ScalarSegments } from '@cuzk/gpu/curve/point-segments';
import type { GpuContext } from '@cuzk/gpu/device/context';
import { frSegmentLength } from '@cuzk/gpu/field/fr-vector';

/** Random scalars below r on the device, and Σ (i + 1)·s_i of their prefixes. */
export interface WeightedScalars {
  readonly scalars: ScalarSegments;
  /** Bytes of the first scalars, as many as one piece holds, on the host. */
  readonly firstBytes: Uint8Array<ArrayBuffer>;
  /** Σ (i + 1)·s_i over the first `count`, which is one of the asked counts. */
  weightedSum(count: number): bigint;
  close(): void;
}

const WORDS = 8;
const PIECE = 2 ** 22;
/** Scalars summed by place in a block, and block by block: every sum stays exact in a double. */
const BLOCK = 2 ** 10;
/** Top word of r: random top words below it make scalars below r, as evenly spread as r allows. */
const TOP = Number(FR_MODULUS >> 224n);

/** `counts` are powers of two from 2^10 up; the largest is how many scalars there are. */
export function makeWeightedScalars(
  context: GpuContext,
  counts: readonly number[],
  seed: number,
): WeightedScalars {
  const count = Math.max(...counts);
  const segmentScalars = Math.min(count, frSegmentLength(context.traits));
  const segments: GPUBuffer[] = [];
  for (let first = 0; first < count; first += segmentScalars) {
    const bytes = 32 * Math.min(segmentScalars, count - first);
    segments.push(context.buffers.take('scratch', bytes, 'random scalars'));
  }
  const length = Math.min(PIECE, segmentScalars);
  const sums = createSums();
  const known = new Map<number, bigint>();
  const next = createWords(seed);
  let firstBytes: Uint8Array<ArrayBuffer> | undefined;
  for (let first = 0; first < count; first += length) {
    const words = new Uint32Array(WORDS * length);
    for (let block = 0; block < length; block += BLOCK) {
      fillBlock(words.subarray(WORDS * block, WORDS * (block + BLOCK)), next);
      sums.add(words.subarray(WORDS * block, WORDS * (block + BLOCK)));
      if (counts.includes(sums.count())) known.set(sums.count(), sums.total());
    }
    const target = segments[Math.floor(first / segmentScalars)] as GPUBuffer;
    context.device.queue.writeBuffer(target, 32 * (first % segmentScalars), words);
    firstBytes ??= new Uint8Array(words.buffer);
  }
  return {
    scalars: { count, segmentScalars, segments },
    firstBytes: firstBytes ?? new Uint8Array(0),
    weightedSum: (asked) => {
      const sum = known.get(asked);
      if (sum === undefined)
        throw new RangeError(`counts: expected one of ${counts}, got ${asked}`);
      return sum;
    },
    close: () => {
      for (const segment of segments) context.buffers.drop(segment);
    },
  };
}

/** The first `count` scalars; the buffers stay those of the array. */
export const firstScalars = (scalars: ScalarSegments, count: number): ScalarSegments => ({
  ...scalars,
  count,
  segments: scalars.segments.slice(0, Math.ceil(count / scalars.segmentScalars)),
});

/** 32-bit words of xorshift128; the seed makes a run repeatable. */
export function createWords(seed: number): () => number {
  let [x, y, z, w] = [seed | 0 || 1, 0x6c078965, 0x1f123bb5, 0x159a55e5];
  return () => {
    const t = x ^ (x << 11);
    x = y;
    y = z;
    z = w;
    w = w ^ (w >>> 19) ^ t ^ (t >>> 8);
    return w >>> 0;
  };
}

function fillBlock(words: Uint32Array, next: () => number): void {
  for (let i = 0; i < words.length; i++) words[i] = next();
  for (let i = WORDS - 1; i < words.length; i += WORDS) {
    words[i] = Math.floor(((words[i] as number) * TOP) / 2 ** 32);
  }
}

function createSums() {
  const byPlace = new Float64Array(WORDS * BLOCK);
  const blocks: Float64Array[] = [];
  const sumAt = (words: Float64Array, at: number): bigint => {
    let value = 0n;
    for (let k = WORDS - 1; k >= 0; k--) value = (value << 32n) + BigInt(words[at + k] as number);
    return value;
  };
  return {
    add: (words: Uint32Array): void => {
      const block = new Float64Array(WORDS);
      for (let i = 0; i < words.length; i++) {
        const word = words[i] as number;
        byPlace[i] = (byPlace[i] as number) + word;
        block[i & (WORDS - 1)] = (block[i & (WORDS - 1)] as number) + word;
      }
      blocks.push(block);
    },
    count: (): number => BLOCK * blocks.length,
    total: (): bigint => {
      let sum = 0n;
      for (let i = 0; i < BLOCK; i++) sum += BigInt(i + 1) * sumAt(byPlace, WORDS * i);
      blocks.forEach((block, b) => {
        sum += BigInt(BLOCK * b) * sumAt(block, 0);
      });
      return sum % FR_MODULUS;
    },
  };
}
