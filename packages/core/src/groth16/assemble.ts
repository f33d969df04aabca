import {
  fromNobleG1,
  fromNobleG2,
  type NobleG1,
  type NobleG2,
  toNobleG1,
  toNobleG2,
} from '../curve/noble-points.ts';
import type { G1Affine, G2Affine } from '../curve/points.ts';
import { CuzkError } from '../errors.ts';
import { FR_MODULUS, frMul } from '../field/fr.ts';
import type { Proof, VerifyingKey } from './types.ts';

/** The MSMs of one partition (spec §4.3), each over inputs and aux together. */
export interface QuerySums {
  readonly h: G1Affine;
  readonly l: G1Affine;
  /** A_in + A_aux. */
  readonly a: G1Affine;
  /** B1_in + B1_aux. */
  readonly bG1: G1Affine;
  /** B2_in + B2_aux. */
  readonly bG2: G2Affine;
}

/** r and s: uniformly random in Fr and used once, or the proof is not zero-knowledge. */
export interface Blinding {
  readonly r: bigint;
  readonly s: bigint;
}

/**
 * The proof of spec §4.3 from the query sums:
 *   A = α + r·δ + A_in + A_aux                          B = β + s·δ + B2_in + B2_aux
 *   C = s·(A_in + A_aux) + r·(B1_in + B1_aux) + r·s·δ + s·α + r·β + H + L
 *
 * Points are taken on trust: decode the encoded proof again (decodeProof checks curve and subgroup), then
 * verify that. Throws CuzkError PARAMS_MALFORMED where δ is the identity, RangeError for r or s outside Fr.
 */
export function assembleProof(vk: VerifyingKey, sums: QuerySums, { r, s }: Blinding): Proof {
  if (vk.deltaG1 === null || vk.deltaG2 === null) {
    throw new CuzkError('PARAMS_MALFORMED', 'verifying key: delta is the point at infinity', {
      expected: 'a finite delta',
      found: 'unexpected identity',
    });
  }
  for (const scalar of [r, s]) {
    if (scalar < 0n || scalar >= FR_MODULUS)
      throw new RangeError('r, s: expected values in [0, r)');
  }
  const aSum = toNobleG1(sums.a);
  const bG1Sum = toNobleG1(sums.bG1);
  const bG2Sum = toNobleG2(sums.bG2);
  const [alpha, betaG1, deltaG1] = [vk.alphaG1, vk.betaG1, vk.deltaG1].map(toNobleG1);
  const [betaG2, deltaG2] = [vk.betaG2, vk.deltaG2].map(toNobleG2);

  const a: NobleG1 = alpha.add(deltaG1.multiplyUnsafe(r)).add(aSum);
  const b: NobleG2 = betaG2.add(deltaG2.multiplyUnsafe(s)).add(bG2Sum);
  const c: NobleG1 = alpha
    .add(aSum)
    .multiplyUnsafe(s)
    .add(betaG1.add(bG1Sum).multiplyUnsafe(r))
    .add(deltaG1.multiplyUnsafe(frMul(r, s)))
    .add(toNobleG1(sums.h))
    .add(toNobleG1(sums.l));
  return { a: fromNobleG1(a), b: fromNobleG2(b), c: fromNobleG1(c) };
}
