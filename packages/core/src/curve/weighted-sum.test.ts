import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FR_MODULUS } from '../field/fr.ts';
import { g1 } from './g1.ts';
import { g2 } from './g2.ts';
import { G1_GENERATOR, type G1Affine, G2_GENERATOR, type G2Affine } from './points.ts';
import { g1Combination, g1WeightedSum, g2Combination, g2WeightedSum } from './weighted-sum.ts';

const g1Times = (k: number | bigint): G1Affine =>
  g1.multiply(G1_GENERATOR, ((BigInt(k) % FR_MODULUS) + FR_MODULUS) % FR_MODULUS);
const g2Times = (k: number | bigint): G2Affine =>
  g2.multiply(G2_GENERATOR, ((BigInt(k) % FR_MODULUS) + FR_MODULUS) % FR_MODULUS);
/** Lists per bit of small multiples of the generator, equal and opposite ones and infinity among them. */
const lists = fc.array(fc.array(fc.integer({ min: -3, max: 3 }), { maxLength: 4 }), {
  maxLength: 8,
});
const edges = [0n, 1n, 2n, 3n, FR_MODULUS - 1n, FR_MODULUS - 2n, 2n ** 254n, 2n ** 254n - 1n];
const scalars = fc.oneof(fc.constantFrom(...edges), fc.bigInt({ min: 0n, max: FR_MODULUS - 1n }));

describe('sums weighted by powers of two', () => {
  it('equal the affine sums, whatever cancels on the way', () => {
    fc.assert(
      fc.property(lists, (byBit) => {
        const total = byBit.reduce(
          (sum, ks, bit) => sum + ks.reduce((s, k) => s + k, 0) * 2 ** bit,
          0,
        );
        expect(g1WeightedSum(byBit.map((ks) => ks.map(g1Times)))).toEqual(g1Times(total));
        expect(g2WeightedSum(byBit.map((ks) => ks.map(g2Times)))).toEqual(g2Times(total));
      }),
      { numRuns: 10, seed: 1 },
    );
  });

  it('take missing entries for empty ones', () => {
    const byBit: G1Affine[][] = [];
    byBit[5] = [g1Times(3)];
    expect(g1WeightedSum(byBit)).toEqual(g1Times(96));
    expect(g1WeightedSum([])).toBeNull();
    expect(g2WeightedSum([undefined, []])).toBeNull();
  });
});

describe('combinations of a few points', () => {
  it('equal their double-and-add sums', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat({ max: 5 }), scalars), { maxLength: 4 }), (terms) => {
        const total = terms.reduce((sum, [k, scalar]) => sum + BigInt(k) * scalar, 0n);
        expect(g1Combination(terms.map(([k, s]) => [g1Times(k), s]))).toEqual(g1Times(total));
        expect(g2Combination(terms.map(([k, s]) => [g2Times(k), s]))).toEqual(g2Times(total));
      }),
      { numRuns: 12, seed: 1 },
    );
  });
});
