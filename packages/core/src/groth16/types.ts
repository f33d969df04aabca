import type { G1Affine, G2Affine } from '../curve/points.ts';

export type { G1Affine, G2Affine };

export interface Proof {
  readonly a: G1Affine;
  readonly b: G2Affine;
  readonly c: G1Affine;
}

export interface VerifyingKey {
  readonly alphaG1: G1Affine;
  readonly betaG1: G1Affine;
  readonly betaG2: G2Affine;
  readonly gammaG2: G2Affine;
  readonly deltaG1: G1Affine;
  readonly deltaG2: G2Affine;
  /** One point per input, ONE first. */
  readonly ic: readonly G1Affine[];
}
