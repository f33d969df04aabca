import { fromNobleG1, fromNobleG2, NobleG1Point, NobleG2Point } from '../curve/noble-points.ts';
import { CuzkError } from '../errors.ts';
import { invertMod, mod, powMod } from '../field/modular.ts';
import type { EvaluationDomain } from '../poly/domain.ts';
import {
  allocateScalars,
  isZeroScalar,
  type PackedScalars,
  readScalar,
  scalarCount,
  writeScalar,
} from '../poly/packed-scalars.ts';
import type { QapAtTau } from './qap-at-tau.ts';
import type { VerifyingKey } from './types.ts';

/** The secrets of a trusted setup (spec §4.2). Whoever knows them can forge proofs. */
export interface ToxicWaste {
  readonly alpha: bigint;
  readonly beta: bigint;
  readonly gamma: bigint;
  readonly delta: bigint;
  readonly tau: bigint;
}

/** Exponents of the points of a parameter file, h aside (spec §4.2). */
export interface KeyExponents {
  readonly ic: readonly bigint[];
  /** One for each aux variable. */
  readonly l: PackedScalars;
  /** Inputs, then aux; zeros dropped. */
  readonly a: PackedScalars;
  /** Of b_g1 and b_g2. Inputs, then aux; zeros dropped. */
  readonly b: PackedScalars;
}

function invertSecret(value: bigint, name: string, modulus: bigint): bigint {
  if (mod(value, modulus) !== 0n) return invertMod(value, modulus);
  throw new CuzkError('SETUP_FAILED', `setup: ${name} is zero`, {
    expected: 'a non-zero scalar',
    found: 'unexpected identity',
  });
}

/**
 * Exponents of h: tau^i · (tau^m − 1)/delta for i = 0 … m − 2 (spec §4.2), one product each. Throws CuzkError
 * SETUP_FAILED for delta = 0 or tau in the domain.
 */
export function* hExponents(
  { modulus, size }: EvaluationDomain,
  { tau, delta }: ToxicWaste,
): Generator<bigint, undefined> {
  const vanishing = mod(powMod(tau, BigInt(size), modulus) - 1n, modulus);
  if (vanishing === 0n) throw new CuzkError('SETUP_FAILED', 'setup: tau lies in the domain');
  let exponent = (vanishing * invertSecret(delta, 'delta', modulus)) % modulus;
  for (let i = 0; i < size - 1; i++) {
    yield exponent;
    exponent = (exponent * tau) % modulus;
  }
}

/**
 * Exponents of ic, l, a and b from the QAP at τ (spec §4.2); `inputs` includes ONE. Throws CuzkError SETUP_FAILED
 * for gamma or delta = 0, and for an aux variable that no constraint binds (its l would be the identity).
 */
export function keyExponents(qap: QapAtTau, inputs: number, waste: ToxicWaste): KeyExponents {
  const { domain, u, v, w } = qap;
  const { modulus } = domain;
  const columns = scalarCount(u);

  /** (β·u_j + α·v_j + w_j)·factor, with one division: the factor is multiplied into β and α beforehand. */
  const combine = (factor: bigint) => {
    const beta = mod(waste.beta * factor, modulus);
    const alpha = mod(waste.alpha * factor, modulus);
    return (column: number): bigint =>
      (readScalar(u, column) * beta +
        readScalar(v, column) * alpha +
        readScalar(w, column) * factor) %
      modulus;
  };

  const icOf = combine(invertSecret(waste.gamma, 'gamma', modulus));
  const ic = Array.from({ length: inputs }, (_, input) => icOf(input));
  const lOf = combine(invertSecret(waste.delta, 'delta', modulus));
  const l = allocateScalars(columns - inputs);
  for (let aux = 0; aux < columns - inputs; aux++) {
    const exponent = lOf(inputs + aux);
    if (exponent === 0n) {
      throw new CuzkError('SETUP_FAILED', `setup: unconstrained variable, aux ${aux}`, {
        expected: 'every aux variable in some constraint',
        found: `aux ${aux} in none`,
      });
    }
    writeScalar(l, aux, exponent);
  }
  return { ic, l, a: withoutZeros(u), b: withoutZeros(v) };
}

function withoutZeros(scalars: PackedScalars): PackedScalars {
  const kept = new BigUint64Array(scalars.length);
  let count = 0;
  for (let i = 0; i < scalarCount(scalars); i++) {
    if (!isZeroScalar(scalars, i)) kept.set(scalars.subarray(4 * i, 4 * i + 4), 4 * count++);
  }
  return kept.slice(0, 4 * count);
}

/** The verifying key of a setup with the standard generators (spec §4.2), from the exponents of ic. */
export function verifyingKeyOf(waste: ToxicWaste, ic: readonly bigint[]): VerifyingKey {
  const g1 = (scalar: bigint) => fromNobleG1(NobleG1Point.BASE.multiplyUnsafe(scalar));
  const g2 = (scalar: bigint) => fromNobleG2(NobleG2Point.BASE.multiplyUnsafe(scalar));
  return {
    alphaG1: g1(waste.alpha),
    betaG1: g1(waste.beta),
    betaG2: g2(waste.beta),
    gammaG2: g2(waste.gamma),
    deltaG1: g1(waste.delta),
    deltaG2: g2(waste.delta),
    ic: ic.map(g1),
  };
}
