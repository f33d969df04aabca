import { FP_MODULUS, fpInvert } from '../field/fp.ts';
import { instantiateWasm } from '../field/wasm-module.ts';
import { G1_SUM_WASM } from './generated/g1-sum-wasm.ts';
import type { G1Affine } from './points.ts';

/** What packages/core/assembly/g1-sum.ts exports; numbers are addresses in its memory. */
interface ModuleExports {
  readonly memory: { readonly buffer: ArrayBuffer };
  readonly MAX_POINTS: { readonly value: number };
  readonly MAX_BITS: { readonly value: number };
  readonly COUNTS: { readonly value: number };
  readonly POINTS: { readonly value: number };
  readonly SUM: { readonly value: number };
  readonly prepare: () => void;
  readonly weightedSum: (bits: number) => void;
}

/** Montgomery factor of the words that g1WeightedWords takes. */
export const WORDS_MONTGOMERY_R: bigint = 1n << 384n;
const ELEMENT_WORDS = 12;
const POINT_WORDS = 2 * ELEMENT_WORDS;

interface Machine {
  readonly exports: ModuleExports;
  readonly words: Uint32Array;
}

let machine: Machine | undefined;

function openMachine(): Machine {
  if (machine === undefined) {
    const exports = instantiateWasm<ModuleExports>(G1_SUM_WASM);
    exports.prepare();
    machine = { exports, words: new Uint32Array(exports.memory.buffer) };
  }
  return machine;
}

/**
 * As g1WeightedSum, for points as a device stores them: rows of 24 words, x and y times R = 2^384, in two's complement,
 * above −2^383 and below 2^383; zeros are infinity. `byBit` has the numbers of the rows that count 2^j times each.
 * 512 rows and bits at most.
 */
export function g1WeightedWords(
  rows: Uint32Array,
  byBit: readonly (readonly number[] | undefined)[],
): G1Affine {
  const { exports, words } = openMachine();
  const [counts, points] = [exports.COUNTS.value / 4, exports.POINTS.value / 4];
  const total = byBit.reduce((sum, bit) => sum + (bit?.length ?? 0), 0);
  if (byBit.length > exports.MAX_BITS.value || total > exports.MAX_POINTS.value) {
    throw new RangeError(`g1WeightedWords: got ${total} points in ${byBit.length} bits`);
  }
  let next = points;
  for (let i = 0; i < byBit.length; i++) {
    const bit = byBit[byBit.length - 1 - i] ?? [];
    words[counts + i] = bit.length;
    for (const row of bit) {
      words.set(rows.subarray(POINT_WORDS * row, POINT_WORDS * (row + 1)), next);
      next += POINT_WORDS;
    }
  }
  exports.weightedSum(byBit.length);
  const [x, y, z] = [0, 1, 2].map((i) =>
    elementAt(words, exports.SUM.value / 4 + ELEMENT_WORDS * i),
  ) as [bigint, bigint, bigint];
  if (z === 0n) return null;
  const inverse = fpInvert(z);
  const factor = (inverse * inverse * WORDS_MONTGOMERY_R) % FP_MODULUS;
  return {
    x: (x * factor) % FP_MODULUS,
    y: (((y * factor) % FP_MODULUS) * ((inverse * WORDS_MONTGOMERY_R) % FP_MODULUS)) % FP_MODULUS,
  };
}

function elementAt(words: Uint32Array, at: number): bigint {
  let value = 0n;
  for (let i = ELEMENT_WORDS - 1; i >= 0; i--) {
    value = (value << 32n) | BigInt(words[at + i] as number);
  }
  return value;
}
