import { invertMod, mod, powMod } from '../field/modular.ts';
import type { EvaluationDomain } from './domain.ts';

/** Elements inverted together: one inversion costs as much as ≈ 100 products, so 1,024 make it vanish. */
const BATCH = 1024;

/**
 * L_0(tau), L_1(tau), … L_{count−1}(tau): the Lagrange polynomials of the domain (spec §4.2) at a point outside
 * it. L_i(tau) = (tau^m − 1)/m · omega^i/(tau − omega^i), computed as the inverse of the geometric sequence
 * tau·omega^−i less one, over (tau^m − 1)/m: four products a value. Throws RangeError for tau in the domain.
 */
export function* lagrangeAt(
  domain: EvaluationDomain,
  tau: bigint,
  count: number = domain.size,
): Generator<bigint, undefined> {
  const { modulus, size, sizeInverse, omegaInverse } = domain;
  const vanishing = mod(powMod(tau, BigInt(size), modulus) - 1n, modulus);
  if (vanishing === 0n) throw new RangeError('tau: expected a point outside the domain');
  const scale = invertMod(vanishing * sizeInverse, modulus);
  let power = (tau * scale) % modulus;
  for (let first = 0; first < count; first += BATCH) {
    const inverses: bigint[] = [];
    for (let i = first; i < Math.min(first + BATCH, count); i++) {
      inverses.push(mod(power - scale, modulus));
      power = (power * omegaInverse) % modulus;
    }
    invertBatch(inverses, modulus);
    yield* inverses;
  }
}

/** In place, none zero: one inversion and three products a value. */
function invertBatch(values: bigint[], modulus: bigint): void {
  const prefixes: bigint[] = [];
  let product = 1n;
  for (const value of values) {
    prefixes.push(product);
    product = (product * value) % modulus;
  }
  let inverse = invertMod(product, modulus);
  for (let i = values.length - 1; i >= 0; i--) {
    const value = values[i];
    values[i] = (inverse * prefixes[i]) % modulus;
    inverse = (inverse * value) % modulus;
  }
}
