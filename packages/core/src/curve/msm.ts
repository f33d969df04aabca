import { pippenger } from '@noble/curves/abstract/curve.js';
import {
  fromNobleG1,
  fromNobleG2,
  type NobleG1,
  NobleG1Point,
  type NobleG2,
  NobleG2Point,
  toNobleG1,
  toNobleG2,
} from './noble-points.ts';
import type { G1Affine, G2Affine } from './points.ts';

interface AddDouble<P> {
  add(other: P): P;
  double(): P;
}

/** Σ 2^(i·windowBits)·sums[i] by Horner's rule, from the highest window down. */
function combineWindows<P extends AddDouble<P>>(zero: P, sums: readonly P[], windowBits: number) {
  if (!Number.isInteger(windowBits) || windowBits < 1) {
    throw new RangeError(`windowBits: expected a positive integer, got ${windowBits}`);
  }
  let result = zero;
  for (let i = sums.length - 1; i >= 0; i--) {
    for (let bit = 0; bit < windowBits; bit++) result = result.double();
    result = result.add(sums[i] ?? zero);
  }
  return result;
}

/** Sum of points of the curve (projective on the host, ≈ 10 µs a point). */
export const g1Sum = (points: readonly G1Affine[]): G1Affine =>
  fromNobleG1(points.reduce<NobleG1>((sum, p) => sum.add(toNobleG1(p)), NobleG1Point.ZERO));

/** As g1Sum. */
export const g2Sum = (points: readonly G2Affine[]): G2Affine =>
  fromNobleG2(points.reduce<NobleG2>((sum, p) => sum.add(toNobleG2(p)), NobleG2Point.ZERO));

/** The last step of a Pippenger MSM: Σ 2^(i·windowBits)·sums[i]; sums[0] belongs to the lowest window. */
export const g1CombineWindows = (sums: readonly G1Affine[], windowBits: number): G1Affine =>
  fromNobleG1(combineWindows(NobleG1Point.ZERO, sums.map(toNobleG1), windowBits));

/** As g1CombineWindows. */
export const g2CombineWindows = (sums: readonly G2Affine[], windowBits: number): G2Affine =>
  fromNobleG2(combineWindows(NobleG2Point.ZERO, sums.map(toNobleG2), windowBits));

function assertSameLength(bases: number, scalars: number): void {
  if (bases !== scalars) {
    throw new RangeError(`MSM: expected as many scalars as bases (${bases}), got ${scalars}`);
  }
}

/**
 * Σ scalars[i]·bases[i], scalars in [0, r). The host twin of the device's MSM, for thousands of
 * points at most. Bases at infinity and zero scalars contribute nothing. Throws RangeError on lengths
 * that differ.
 */
export function g1Msm(bases: readonly G1Affine[], scalars: readonly bigint[]): G1Affine {
  assertSameLength(bases.length, scalars.length);
  return fromNobleG1(pippenger(NobleG1Point, bases.map(toNobleG1), [...scalars]));
}

/** As g1Msm. */
export function g2Msm(bases: readonly G2Affine[], scalars: readonly bigint[]): G2Affine {
  assertSameLength(bases.length, scalars.length);
  return fromNobleG2(pippenger(NobleG2Point, bases.map(toNobleG2), [...scalars]));
}
