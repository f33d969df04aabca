import { readFileSync } from 'node:fs';
import { FP_MODULUS } from '@cuzk/core/field/fp';
import { FR_MODULUS } from '@cuzk/core/field/fr';
import { describe, expect, it } from 'vitest';
import { SEARCHED_LIMBS } from '../../packages/gpu/src/field/self-test-searched.ts';
import {
  asWritten,
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

const fieldOf = (shape: (typeof fields)[number]) => {
  const file = `../../packages/gpu/kernels/generated/${shape.prefix}-signed24.wgsl`;
  return mirrorField(shape, readFileSync(new URL(file, import.meta.url), 'utf8'));
};

type Term = readonly [number, number];
const shuffled = (terms: readonly Term[]): Term[] => {
  const random = seededRandom(terms.length + Math.abs(terms[0][0]));
  return terms
    .map((term) => ({ term, at: random() }))
    .sort((x, y) => x.at - y.at)
    .map(({ term }) => term);
};
/** The largest first is the order whose rounding is off the most. */
const largestFirst = (terms: readonly Term[]): Term[] =>
  terms.toSorted(([u, v], [x, y]) => Math.abs(x * y) - Math.abs(u * v));
const orders = [
  ['as written', asWritten],
  ['reversed', (terms: readonly Term[]) => terms.toReversed()],
  ['shuffled', shuffled],
  ['largest first', largestFirst],
] as const;

it('gets carries of Fp wrong where f32 sums are truncated: a device must round to nearest', () => {
  const field = fieldOf(fields[0]);
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
      count += mirrorMultiply(field, a, b, { round }).wrongCarries;
    }
    return count;
  };
  expect(wrong(truncateToF32)).toBeGreaterThan(0);
  expect(wrong(Math.fround)).toBe(0);
});

describe.each(fields)('24-bit multiplier of $prefix', (shape) => {
  const { prefix, top, limitA } = shape;
  const field = fieldOf(shape);
  const montgomery = 1n << BigInt(24 * shape.limbs);
  const limit = 2 ** 31 - 2 ** 29 - 2 ** 23 - 2 ** 24;
  const isProduct = (a: number[], b: number[], out: number[]): boolean =>
    (limbsValue(out) * montgomery - limbsValue(a) * limbsValue(b)) % shape.modulus === 0n;
  const cases = orders.flatMap(([name, order]) => [
    { name, order, rounding: 'fused', fma: fusedRounding(Math.fround) },
    { name, order, rounding: 'split', fma: splitRounding(Math.fround) },
  ]);

  it.each(cases)(
    'is exact on 500 operands with limbs near their bounds, $name, $rounding',
    ({ order, fma }) => {
      const random = seededRandom(77);
      let largest = 0;
      for (let t = 0; t < 500; t++) {
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
        const product = mirrorMultiply(field, a, b, { fma, order });
        expect(product.wrongCarries).toBe(0);
        expect(isProduct(a, b, product.limbs)).toBe(true);
        largest = Math.max(largest, product.largestError);
      }
      expect(largest).toBeGreaterThan(2 ** 26);
      expect(largest).toBeLessThan(limit);
    },
  );

  it('would not be exact if a compiler could add the terms to the power of two one by one', () => {
    const [[a, b]] = SEARCHED_LIMBS[prefix];
    expect(mirrorMultiply(field, [...a], [...b], { fenced: false }).wrongCarries).toBeGreaterThan(
      0,
    );
  });

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
