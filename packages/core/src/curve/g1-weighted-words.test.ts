import { describe, expect, it } from 'vitest';
import { FP_MODULUS } from '../field/fp.ts';
import { mod } from '../field/modular.ts';
import { g1WeightedWords, WORDS_MONTGOMERY_R } from './g1-weighted-words.ts';
import { fromNobleG1, NobleG1Point } from './noble-points.ts';
import type { G1Affine } from './points.ts';
import { g1WeightedSum } from './weighted-sum.ts';

const multiple = (k: number): G1Affine =>
  k === 0
    ? null
    : fromNobleG1(
        k < 0
          ? NobleG1Point.BASE.multiply(BigInt(-k)).negate()
          : NobleG1Point.BASE.multiply(BigInt(k)),
      );

/** Stored words of a value: any multiple of p away, within the bounds of the form. */
function storedWords(value: bigint, shift: number): number[] {
  const stored = mod(value * WORDS_MONTGOMERY_R, FP_MODULUS) + BigInt(shift) * FP_MODULUS;
  return Array.from({ length: 12 }, (_, i) => Number(BigInt.asUintN(32, stored >> BigInt(32 * i))));
}
const wordsOf = (points: readonly G1Affine[], shift: (i: number) => number): Uint32Array =>
  Uint32Array.from(
    points.flatMap((point, i) =>
      point === null
        ? Array<number>(24).fill(0)
        : [...storedWords(point.x, shift(i)), ...storedWords(point.y, shift(i + 1))],
    ),
  );

describe('a sum of points by weight in WebAssembly', () => {
  const check = (
    byBit: (readonly number[] | undefined)[],
    factors: readonly number[],
  ): G1Affine => {
    const points = factors.map(multiple);
    const plain = g1WeightedSum(
      Array.from(byBit, (bit) => bit?.map((row) => points[row] as G1Affine)),
    );
    // −4p … 4p and less: bounds of the stored form
    for (const shift of [() => 0, (i: number) => (i % 8) - 4, () => -4, () => 3]) {
      expect(g1WeightedWords(wordsOf(points, shift), byBit)).toEqual(plain);
    }
    return plain;
  };

  it('is what plain arithmetic gives, for many bits and points', () => {
    const factors = Array.from({ length: 255 }, (_, i) => 1 + ((i * 7919) % 10007));
    check(
      factors.map((_, i) => (i % 17 === 5 ? [i, (i + 3) % 255] : [i])),
      factors,
    );
    check(
      factors.map((_, i) => (i % 3 === 0 ? undefined : [i])),
      factors.map((factor) => -factor),
    );
  });

  it('meets doublings, opposites and infinity on its way', () => {
    expect(check([], [])).toBeNull();
    expect(check([[0, 1], [0]], [0, 0])).toBeNull();
    expect(check([[0, 1]], [5, -5])).toBeNull();
    expect(check([[0, 0, 0]], [5])).toEqual(multiple(15));
    // 2·5 − 10, and then on from infinity
    expect(check([[1, 2], [0]], [5, -10, 3])).toEqual(multiple(3));
    // 2·5 + 10 doubles
    expect(check([[1], [0]], [5, 10])).toEqual(multiple(20));
    expect(check([undefined, [0]], [7])).toEqual(multiple(14));
  });

  it('refuses more than its memory holds', () => {
    expect(() => g1WeightedWords(new Uint32Array(0), Array(513).fill([]))).toThrow(RangeError);
  });
});
