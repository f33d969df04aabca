import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FR_MODULUS } from '../field/fr.ts';
import { g1 } from './g1.ts';
import { g2 } from './g2.ts';
import { fromNobleG1, fromNobleG2, isInG1, isInG2, toNobleG1, toNobleG2 } from './noble-points.ts';
import { G1_GENERATOR, type G1Affine, G2_GENERATOR, type G2Affine } from './points.ts';

const small = fc.bigInt({ min: 0n, max: 200n });
const scalar = fc.bigInt({ min: 0n, max: FR_MODULUS - 1n });
const G1_TIMES = (k: bigint): G1Affine => g1.multiply(G1_GENERATOR, k);
const G2_TIMES = (k: bigint): G2Affine => g2.multiply(G2_GENERATOR, k);

describe('plain affine G1', () => {
  it('adds like integers add, with all special cases of small multiples', () => {
    fc.assert(
      fc.property(small, small, (a, b) => {
        expect(g1.add(G1_TIMES(a), G1_TIMES(b))).toEqual(G1_TIMES(a + b));
      }),
      { numRuns: 30 },
    );
  });

  it('multiplies as noble does', () => {
    fc.assert(
      fc.property(scalar, (k) => {
        const point = G1_TIMES(k);
        expect(point).toEqual(fromNobleG1(toNobleG1(G1_GENERATOR).multiplyUnsafe(k)));
        expect(g1.isOnCurve(point)).toBe(true);
      }),
      { numRuns: 8 },
    );
  });

  it('treats infinity, opposite points and doubling as the group law says', () => {
    expect(g1.add(null, G1_GENERATOR)).toEqual(G1_GENERATOR);
    expect(g1.add(G1_GENERATOR, null)).toEqual(G1_GENERATOR);
    expect(g1.add(G1_GENERATOR, g1.negate(G1_GENERATOR))).toBeNull();
    expect(g1.add(G1_GENERATOR, G1_GENERATOR)).toEqual(g1.double(G1_GENERATOR));
    expect(g1.double(null)).toBeNull();
    expect(g1.negate(null)).toBeNull();
    expect(g1.double({ x: 3n, y: 0n })).toBeNull();
    expect(G1_TIMES(FR_MODULUS)).toBeNull();
    expect(g1.equal(null, null)).toBe(true);
    expect(g1.equal(null, G1_GENERATOR)).toBe(false);
    expect(g1.equal(G1_TIMES(2n), G1_TIMES(3n))).toBe(false);
    expect(() => G1_TIMES(-1n)).toThrow(RangeError);
  });

  it('tells points off the curve and outside the subgroup', () => {
    expect(g1.isOnCurve({ x: G1_GENERATOR.x, y: G1_GENERATOR.y + 1n })).toBe(false);
    const outside = { x: 0n, y: 2n };
    expect(g1.isOnCurve(outside)).toBe(true);
    expect(isInG1(outside)).toBe(false);
    expect(isInG1(G1_TIMES(5n))).toBe(true);
    expect(isInG1(null)).toBe(true);
  });
});

describe('plain affine G2', () => {
  it('adds like integers add', () => {
    fc.assert(
      fc.property(small, small, (a, b) => {
        expect(g2.add(G2_TIMES(a), G2_TIMES(b))).toEqual(G2_TIMES(a + b));
      }),
      { numRuns: 20 },
    );
  });

  it('multiplies as noble does', () => {
    fc.assert(
      fc.property(scalar, (k) => {
        const point = G2_TIMES(k);
        expect(point).toEqual(fromNobleG2(toNobleG2(G2_GENERATOR).multiplyUnsafe(k)));
        expect(g2.isOnCurve(point)).toBe(true);
      }),
      { numRuns: 4 },
    );
  });

  it('has order r, and knows points off the curve and outside the subgroup', () => {
    expect(G2_TIMES(FR_MODULUS)).toBeNull();
    expect(g2.add(G2_GENERATOR, g2.negate(G2_GENERATOR))).toBeNull();
    const { x, y } = G2_GENERATOR;
    expect(g2.isOnCurve({ x, y: { c0: y.c0, c1: y.c1 + 1n } })).toBe(false);
    expect(isInG2(G2_TIMES(7n))).toBe(true);
    expect(isInG2(null)).toBe(true);
  });
});
