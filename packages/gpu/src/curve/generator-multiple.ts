import {
  fromNobleG1,
  fromNobleG2,
  NobleG1Point,
  NobleG2Point,
} from '@cuzk/core/curve/noble-points';
import { FR_MODULUS } from '@cuzk/core/field/fr';
import { mod } from '@cuzk/core/field/modular';
import type { AffineOf, CurveGroup } from './point-segments.ts';

/**
 * k·G for any integer k, by noble, which shares no code with the kernels: the exact answer of every sum over multiples
 * of the generator.
 */
export function multipleOfGenerator<G extends CurveGroup>(group: G, k: bigint): AffineOf<G> {
  const scalar = mod(k, FR_MODULUS);
  if (group === 'g1') {
    const point = scalar === 0n ? NobleG1Point.ZERO : NobleG1Point.BASE.multiply(scalar);
    return fromNobleG1(point) as AffineOf<G>;
  }
  const point = scalar === 0n ? NobleG2Point.ZERO : NobleG2Point.BASE.multiply(scalar);
  return fromNobleG2(point) as AffineOf<G>;
}
