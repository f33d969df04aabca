import type { WeierstrassPoint } from '@noble/curves/abstract/weierstrass.js';
import { bls12_381 } from '@noble/curves/bls12-381.js';
import type { Fp2 } from './fp2.ts';
import type { G1Affine, G2Affine } from './points.ts';

/** Points as @noble/curves holds them: projective, for fast sums and pairings on the host. */
export type NobleG1 = WeierstrassPoint<bigint>;
export type NobleG2 = WeierstrassPoint<Fp2>;
export const NobleG1Point = bls12_381.G1.Point;
export const NobleG2Point = bls12_381.G2.Point;

/** Throws where a coordinate is not canonical; does not check the curve equation. */
export const toNobleG1 = (p: G1Affine): NobleG1 =>
  p === null ? NobleG1Point.ZERO : NobleG1Point.fromAffine({ x: p.x, y: p.y });

/** As toNobleG1. */
export const toNobleG2 = (p: G2Affine): NobleG2 =>
  p === null ? NobleG2Point.ZERO : NobleG2Point.fromAffine({ x: p.x, y: p.y });

export function fromNobleG1(point: NobleG1): G1Affine {
  if (point.is0()) return null;
  const { x, y } = point.toAffine();
  return { x, y };
}

export function fromNobleG2(point: NobleG2): G2Affine {
  if (point.is0()) return null;
  const { x, y } = point.toAffine();
  return { x: { c0: x.c0, c1: x.c1 }, y: { c0: y.c0, c1: y.c1 } };
}

/** Whether a point OF THE CURVE lies in the subgroup of order r. */
export const isInG1 = (p: G1Affine): boolean => p === null || toNobleG1(p).isTorsionFree();
/** As isInG1, for E′. */
export const isInG2 = (p: G2Affine): boolean => p === null || toNobleG2(p).isTorsionFree();
