import { FR_GENERATOR, FR_MODULUS, FR_TWO_ADICITY, frRootOfUnity } from '../field/fr.ts';
import { invertMod, mod, powMod } from '../field/modular.ts';

/** The 2^logN-th roots of unity of a prime field, and the coset that evaluations are moved to (spec §4.1, §4.3). */
export interface EvaluationDomain {
  readonly modulus: bigint;
  readonly logN: number;
  /** 2^logN. */
  readonly size: number;
  /** Generator: element i of the domain is omega^i. */
  readonly omega: bigint;
  readonly omegaInverse: bigint;
  readonly sizeInverse: bigint;
  /** Element i of the coset is shift·omega^i. */
  readonly shift: bigint;
  readonly shiftInverse: bigint;
  /** shift^size − 1: what X^size − 1 is everywhere on the coset. Never zero. */
  readonly vanishingOnCoset: bigint;
}

/** A domain over any prime field. Throws RangeError where omega has not order 2^logN or the coset meets the domain. */
export function createDomain(
  modulus: bigint,
  logN: number,
  omega: bigint,
  shift: bigint,
): EvaluationDomain {
  const size = 2 ** logN;
  const hasOrderSize =
    powMod(omega, BigInt(size), modulus) === 1n &&
    (logN === 0 || powMod(omega, BigInt(size / 2), modulus) !== 1n);
  if (!hasOrderSize) throw new RangeError(`omega: expected an element of order 2^${logN}`);
  const vanishing = mod(powMod(shift, BigInt(size), modulus) - 1n, modulus);
  if (vanishing === 0n) throw new RangeError('shift: expected an element outside the domain');
  return {
    modulus,
    logN,
    size,
    omega,
    omegaInverse: invertMod(omega, modulus),
    sizeInverse: invertMod(BigInt(size), modulus),
    shift,
    shiftInverse: invertMod(shift, modulus),
    vanishingOnCoset: vanishing,
  };
}

/** The domain of 2^logN elements of Fr with coset shift 7. Throws RangeError for logN outside 0 … 32. */
export const frDomain = (logN: number): EvaluationDomain =>
  createDomain(FR_MODULUS, logN, frRootOfUnity(logN), FR_GENERATOR);

/**
 * The smallest domain with room for `rows` rows, input rows included (spec §4.1). Throws RangeError as
 * the reference fails: an exponent of 32 or more is "polynomial degree is too large".
 */
export function frDomainFor(rows: number): EvaluationDomain {
  if (!Number.isSafeInteger(rows) || rows < 1) {
    throw new RangeError(`rows: expected a positive integer, got ${rows}`);
  }
  let logN = 0;
  while (2 ** logN < rows) logN++;
  if (logN >= FR_TWO_ADICITY) throw new RangeError('rows: polynomial degree is too large');
  return frDomain(logN);
}
