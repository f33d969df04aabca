import { invertMod, mod } from '../field/modular.ts';
import type { EvaluationDomain } from './domain.ts';
import { cosetNtt, inverseCosetNtt, inverseNtt } from './ntt.ts';

/**
 * The quotient h = (a·b − c)/(X^m − 1) from the row values of a, b, c (spec §4.3), as the m − 1
 * coefficients the h MSM takes. The coefficient of X^(m−1), zero for a satisfied system, is dropped
 * without a look, as in the reference. At most m values each; missing rows count as zero.
 */

/** The reference's way: seven transforms. */
export function quotientBySevenTransforms(
  a: readonly bigint[],
  b: readonly bigint[],
  c: readonly bigint[],
  domain: EvaluationDomain,
): bigint[] {
  const { modulus, vanishingOnCoset } = domain;
  const [aCoset, bCoset, cCoset] = [a, b, c].map((values) =>
    cosetNtt(inverseNtt(values, domain), domain),
  );
  const scale = invertMod(vanishingOnCoset, modulus);
  const onCoset = aCoset.map((value, i) => mod((value * bCoset[i] - cCoset[i]) * scale, modulus));
  return inverseCosetNtt(onCoset, domain).slice(0, -1);
}

/**
 * The same with six: c need not visit the coset. The inverse coset transform is linear and undoes what the
 * coset transform does to c, so the result is (inverse coset transform of a·b − coefficients of c) divided by
 * shift^m − 1: equal to the seven-transform result for any rows, satisfied or not.
 */
export function quotientBySixTransforms(
  a: readonly bigint[],
  b: readonly bigint[],
  c: readonly bigint[],
  domain: EvaluationDomain,
): bigint[] {
  const { modulus, vanishingOnCoset } = domain;
  const aCoset = cosetNtt(inverseNtt(a, domain), domain);
  const bCoset = cosetNtt(inverseNtt(b, domain), domain);
  const product = inverseCosetNtt(
    aCoset.map((value, i) => (value * bCoset[i]) % modulus),
    domain,
  );
  const cCoefficients = inverseNtt(c, domain);
  const scale = invertMod(vanishingOnCoset, modulus);
  return product.map((value, i) => mod((value - cCoefficients[i]) * scale, modulus)).slice(0, -1);
}
