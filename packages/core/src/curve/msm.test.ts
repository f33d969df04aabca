import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FR_MODULUS } from '../field/fr.ts';
import { g1 } from './g1.ts';
import { g2 } from './g2.ts';
import { g1CombineWindows, g1Msm, g1Sum, g2CombineWindows, g2Msm, g2Sum } from './msm.ts';
import { G1_GENERATOR, type G1Affine, G2_GENERATOR, type G2Affine } from './points.ts';

const g1Times = (k: number): G1Affine => g1.multiply(G1_GENERATOR, BigInt(k));
const g2Times = (k: number): G2Affine => g2.multiply(G2_GENERATOR, BigInt(k));
/** Small multiples of the generator; 0 stands for infinity. */
const multiples = fc.array(fc.nat({ max: 40 }), { maxLength: 12 });

describe('host sums', () => {
  it('g1Sum and g2Sum add up small multiples, infinity included', () => {
    fc.assert(
      fc.property(multiples, (ks) => {
        const total = ks.reduce((sum, k) => sum + k, 0);
        expect(g1Sum(ks.map(g1Times))).toEqual(g1Times(total));
        expect(g2Sum(ks.map(g2Times))).toEqual(g2Times(total));
      }),
      { numRuns: 12 },
    );
  });

  it('a sum that cancels is infinity', () => {
    expect(g1Sum([g1Times(3), g1.negate(g1Times(3))])).toBeNull();
    expect(g2Sum([])).toBeNull();
  });

  it('combines windows by Horner, lowest first', () => {
    fc.assert(
      fc.property(multiples, fc.integer({ min: 1, max: 16 }), (ks, windowBits) => {
        const scalar = ks.reduce((sum, k, i) => sum + (BigInt(k) << BigInt(i * windowBits)), 0n);
        expect(g1CombineWindows(ks.map(g1Times), windowBits)).toEqual(
          g1.multiply(G1_GENERATOR, scalar % FR_MODULUS),
        );
      }),
      { numRuns: 12 },
    );
    expect(g2CombineWindows([g2Times(3), null, g2Times(1)], 4)).toEqual(g2Times(3 + 256));
    expect(() => g1CombineWindows([], 0)).toThrow(RangeError);
  });
});

describe('host MSM', () => {
  const term = fc.tuple(fc.nat({ max: 30 }), fc.bigInt({ min: 0n, max: FR_MODULUS - 1n }));

  it('equals the sum of products on both groups', () => {
    fc.assert(
      fc.property(fc.array(term, { maxLength: 10 }), (terms) => {
        const exponent = terms.reduce((sum, [k, s]) => sum + BigInt(k) * s, 0n) % FR_MODULUS;
        const scalars = terms.map(([, s]) => s);
        expect(
          g1Msm(
            terms.map(([k]) => g1Times(k)),
            scalars,
          ),
        ).toEqual(g1.multiply(G1_GENERATOR, exponent));
        expect(
          g2Msm(
            terms.map(([k]) => g2Times(k)),
            scalars,
          ),
        ).toEqual(g2.multiply(G2_GENERATOR, exponent));
      }),
      { numRuns: 6 },
    );
  });

  it('refuses lists of different length', () => {
    expect(() => g1Msm([G1_GENERATOR], [])).toThrow(RangeError);
    expect(() => g2Msm([], [1n])).toThrow(RangeError);
  });
});
