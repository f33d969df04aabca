import { mod } from '../field/modular.ts';
import type { EvaluationDomain } from './domain.ts';
import { reverseBits } from './reverse-bits.ts';

/**
 * Plain number-theoretic transforms on bigints, natural order in and out: the twin of the device's
 * kernels. Every function takes at most domain.size values (the rest counts as zero), leaves its
 * argument alone and returns domain.size canonical values.
 */

/** Values at omega^i of the polynomial with the given coefficients. */
export const ntt = (coefficients: readonly bigint[], domain: EvaluationDomain): bigint[] =>
  transform(padded(coefficients, domain), domain.omega, domain);

/** Coefficients of the polynomial with the given values at omega^i. */
export const inverseNtt = (values: readonly bigint[], domain: EvaluationDomain): bigint[] =>
  scaledByPowers(
    transform(padded(values, domain), domain.omegaInverse, domain),
    domain.sizeInverse,
    1n,
    domain.modulus,
  );

/** Values at shift·omega^i of the polynomial with the given coefficients. */
export const cosetNtt = (coefficients: readonly bigint[], domain: EvaluationDomain): bigint[] =>
  transform(
    scaledByPowers(padded(coefficients, domain), 1n, domain.shift, domain.modulus),
    domain.omega,
    domain,
  );

/** Coefficients of the polynomial with the given values at shift·omega^i. */
export const inverseCosetNtt = (values: readonly bigint[], domain: EvaluationDomain): bigint[] =>
  scaledByPowers(
    transform(padded(values, domain), domain.omegaInverse, domain),
    domain.sizeInverse,
    domain.shiftInverse,
    domain.modulus,
  );

function padded(values: readonly bigint[], { size, modulus }: EvaluationDomain): bigint[] {
  if (values.length > size) {
    throw new RangeError(`values: expected at most ${size}, got ${values.length}`);
  }
  return Array.from({ length: size }, (_, i) => mod(values[i] ?? 0n, modulus));
}

/** In place: element i times first·ratio^i. */
function scaledByPowers(values: bigint[], first: bigint, ratio: bigint, modulus: bigint): bigint[] {
  let factor = first;
  for (let i = 0; i < values.length; i++) {
    values[i] = (values[i] * factor) % modulus;
    factor = (factor * ratio) % modulus;
  }
  return values;
}

/** In place, radix 2, decimation in time: out[i] = Σ_j in[j]·root^(i·j). */
function transform(values: bigint[], root: bigint, { modulus, logN }: EvaluationDomain): bigint[] {
  const size = values.length;
  bitReverse(values, logN);
  const twiddles = scaledByPowers(Array<bigint>(Math.floor(size / 2)).fill(1n), 1n, root, modulus);
  for (let half = 1; half < size; half *= 2) {
    const stride = size / (2 * half);
    for (let block = 0; block < size; block += 2 * half) {
      for (let i = block; i < block + half; i++) {
        const odd = (values[i + half] * twiddles[(i - block) * stride]) % modulus;
        const even = values[i];
        values[i] = (even + odd) % modulus;
        values[i + half] = even < odd ? even - odd + modulus : even - odd;
      }
    }
  }
  return values;
}

function bitReverse(values: bigint[], logN: number): void {
  for (let i = 0; i < values.length; i++) {
    const reversed = reverseBits(i, logN);
    if (i < reversed) [values[i], values[reversed]] = [values[reversed], values[i]];
  }
}
