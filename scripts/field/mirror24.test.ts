import { FP_MODULUS } from '@cuzk/core/field/fp';
import { FR_MODULUS } from '@cuzk/core/field/fr';
import { describe, expect, it } from 'vitest';
import { SEARCHED_LIMBS } from '../../packages/gpu/src/field/self-test-searched.ts';
import {
  fusedRounding,
  limbsValue,
  mirrorField,
  mirrorMultiply,
  searchLargestError,
  seededRandom,
  splitRounding,
  truncateToF32,
} from './mirror24.mjs';

const fields = [
  {
    prefix: 'fp',
    modulus: FP_MODULUS,
    limbs: 16,
    unit: 30,
    limitA: 2 ** 24,
    top: 2 ** 20,
  },
  {
    prefix: 'fr',
    modulus: FR_MODULUS,
    limbs: 11,
    unit: 30,
    limitA: 1.5 * 2 ** 24,
    top: 2 ** 14,
  },
] as const;

it('gets carries of Fp wrong where f32 sums are truncated: a device must round to nearest', () => {
  const field = mirrorField(fields[0]);
  const limbs = (limit: number, seed: number): number[] => {
    const random = seededRandom(seed);
    return Array.from(
      { length: 16 },
      (_, i) => (i === 15 ? 2 ** 20 : limit) - 1 - Math.floor(random() * 4096),
    );
  };
  const wrong = (round: (x: number) => number): number => {
    let count = 0;
    for (let seed = 1; seed <= 2000; seed++) {
      const [a, b] = [limbs(2 ** 24, seed), limbs(2 ** 23, seed + 5000)];
      count += mirrorMultiply(field, a, b, round, fusedRounding(round)).wrongCarries;
    }
    return count;
  };
  expect(wrong(truncateToF32)).toBeGreaterThan(0);
  expect(wrong(Math.fround)).toBe(0);
});

describe.each(fields)('24-bit multiplier of $prefix', ({ prefix, top, limitA, ...shape }) => {
  const field = mirrorField(shape);
  const montgomery = 1n << BigInt(24 * shape.limbs);
  const limit = 2 ** 31 - 2 ** 29 - 2 ** 23 - 2 ** 24;
  const isProduct = (a: number[], b: number[], out: number[]): boolean =>
    (limbsValue(out) * montgomery - limbsValue(a) * limbsValue(b)) % shape.modulus === 0n;
  const roundings = [
    ['fused', Math.fround, fusedRounding(Math.fround)],
    ['split', Math.fround, splitRounding(Math.fround)],
  ] as const;

  it.each(roundings)(
    'is exact on 2,000 operands with limbs near their bounds, %s',
    (_name, round, fma) => {
      const random = seededRandom(77);
      let largest = 0;
      for (let t = 0; t < 2000; t++) {
        const sign = random() < 0.5 ? 1 : -1;
        const limb = (size: number, s: number): number =>
          t % 3 === 0
            ? Math.floor((2 * random() - 1) * size)
            : s * (size - 1 - Math.floor(random() * 4096));
        const list = (size: number, s: number): number[] =>
          Array.from({ length: shape.limbs }, (_, i) =>
            limb(i === shape.limbs - 1 ? top : size, s),
          );
        const [a, b] = [list(limitA, sign), list(2 ** 23, t % 2 === 0 ? sign : -sign)];
        const product = mirrorMultiply(field, a, b, round, fma);
        expect(product.wrongCarries).toBe(0);
        expect(isProduct(a, b, product.limbs)).toBe(true);
        largest = Math.max(largest, product.largestError);
      }
      expect(largest).toBeGreaterThan(2 ** 26);
      expect(largest).toBeLessThan(limit);
    },
  );

  it('is exact on the operands of the self-test, which make the error large', () => {
    for (const [a, b] of SEARCHED_LIMBS[prefix]) {
      const product = mirrorMultiply(field, [...a], [...b]);
      expect(product.largestError).toBeGreaterThan(2 ** 29);
      expect(product.largestError).toBeLessThan(limit);
      expect(product.wrongCarries).toBe(0);
      expect(isProduct([...a], [...b], product.limbs)).toBe(true);
    }
  });

  it('finds larger errors by climbing than at random', () => {
    const options = { limitA, limitB: 2 ** 23, topLimit: top, restarts: 1, seed: 3 };
    const start = searchLargestError(field, { ...options, steps: 0 });
    const climbed = searchLargestError(field, { ...options, steps: 400 });
    expect(climbed.largestError).toBeGreaterThan(start.largestError);
  });
});
