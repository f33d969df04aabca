/** Affine points as plain bigints; null is the point at infinity. */
export type G1Affine = { readonly x: bigint; readonly y: bigint } | null;
export interface Fp2 {
  readonly c0: bigint;
  readonly c1: bigint;
}
export type G2Affine = { readonly x: Fp2; readonly y: Fp2 } | null;

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
