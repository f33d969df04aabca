import { g1Sum } from '../curve/msm.ts';
import type { G1Affine, G2Affine } from '../curve/points.ts';
import { g1Combination, g2Combination } from '../curve/weighted-sum.ts';
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

/** A proof that lacks only h, the sum that is ready last. */
export interface ProofWithoutH {
  readonly a: G1Affine;
  readonly b: G2Affine;
  readonly cWithoutH: G1Affine;
}

/**
 * All of the proof of spec §4.3 that does not need h:
 *   A = α + r·δ + A_in + A_aux                          B = β + s·δ + B2_in + B2_aux
 *   C = s·(A_in + A_aux) + r·(B1_in + B1_aux) + r·s·δ + s·α + r·β + L  (+ H)
 *
 * Throws CuzkError PARAMS_MALFORMED where δ is the identity, RangeError for r or s outside Fr.
 */
export function blindQueries(
  vk: VerifyingKey,
  sums: Omit<QuerySums, 'h'>,
  { r, s }: Blinding,
): ProofWithoutH {
  const { alphaG1, betaG1, betaG2, deltaG1, deltaG2 } = vk;
  if (deltaG1 === null || deltaG2 === null) {
    throw new CuzkError('PARAMS_MALFORMED', 'verifying key: delta is the point at infinity', {
      expected: 'a finite delta',
      found: 'unexpected identity',
    });
  }
  for (const scalar of [r, s]) {
    if (scalar < 0n || scalar >= FR_MODULUS)
      throw new RangeError('r, s: expected values in [0, r)');
  }
  const alphaA = g1Sum([alphaG1, sums.a]);
  const betaB = g1Sum([betaG1, sums.bG1]);
  return {
    a: g1Combination([
      [alphaA, 1n],
      [deltaG1, r],
    ]),
    b: g2Combination([
      [betaG2, 1n],
      [sums.bG2, 1n],
      [deltaG2, s],
    ]),
    cWithoutH: g1Combination([
      [alphaA, s],
      [betaB, r],
      [deltaG1, frMul(r, s)],
      [sums.l, 1n],
    ]),
  };
}

/** The proof, C being complete. Points are taken on trust: see assembleProof. */
export const addH = ({ a, b, cWithoutH }: ProofWithoutH, h: G1Affine): Proof => ({
  a,
  b,
  c: g1Sum([cWithoutH, h]),
});

/**
 * The proof of spec §4.3 from the query sums. Points are taken on trust: decode the encoded proof again (decodeProof
 * checks curve and subgroup), then verify that. Throws what blindQueries throws.
 */
export const assembleProof = (vk: VerifyingKey, sums: QuerySums, blinding: Blinding): Proof =>
  addH(blindQueries(vk, sums, blinding), sums.h);
