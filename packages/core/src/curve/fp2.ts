import { FP_MODULUS, fpAdd, fpInvert, fpMul, fpSub } from '../field/fp.ts';

/** c0 + c1·u in Fp2 = Fp[u]/(u² + 1) (spec §3.2), both halves canonical. */
export interface Fp2 {
  readonly c0: bigint;
  readonly c1: bigint;
}

export const fp2Add = (a: Fp2, b: Fp2): Fp2 => ({ c0: fpAdd(a.c0, b.c0), c1: fpAdd(a.c1, b.c1) });
export const fp2Sub = (a: Fp2, b: Fp2): Fp2 => ({ c0: fpSub(a.c0, b.c0), c1: fpSub(a.c1, b.c1) });
export const fp2Equal = (a: Fp2, b: Fp2): boolean => a.c0 === b.c0 && a.c1 === b.c1;

/** (a0 + a1·u)(b0 + b1·u) with u² = −1. */
export const fp2Mul = (a: Fp2, b: Fp2): Fp2 => ({
  c0: fpSub(a.c0 * b.c0, a.c1 * b.c1),
  c1: (a.c0 * b.c1 + a.c1 * b.c0) % FP_MODULUS,
});

/** Inverse by the norm: (c0 − c1·u) / (c0² + c1²). Throws RangeError for zero. */
export function fp2Invert(a: Fp2): Fp2 {
  const inverseNorm = fpInvert(a.c0 * a.c0 + a.c1 * a.c1);
  return { c0: fpMul(a.c0, inverseNorm), c1: fpSub(0n, a.c1 * inverseNorm) };
}
