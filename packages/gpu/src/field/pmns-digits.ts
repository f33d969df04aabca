import { FR_MODULUS } from '@cuzk/core/field/fr';
import { mod } from '@cuzk/core/field/modular';

/** The curve's parameter without its sign: r = z^4 − z^2 + 1. */
export const PMNS_BASE = 0xd201000000010000n;
/** Four digits of three limbs. */
export const PMNS_LIMBS = 12;
/** The Montgomery factor of generated/fr-pmns23.wgsl. */
export const PMNS_MONTGOMERY_R = 2n ** 69n;
/** Half a limb for each of the two lower ones, so that unpack_biased yields balanced limbs. */
const BIAS = 2n ** 22n + 2n ** 45n;

/** Digits of a value modulo r in base z, each within z/2 and one: Σ digit_i·z^i ≡ value. */
export function pmnsDigits(value: bigint): bigint[] {
  const digits: bigint[] = [];
  let rest = mod(value, FR_MODULUS);
  for (let i = 0; i < 4; i++) {
    let digit = mod(rest, PMNS_BASE);
    if (2n * digit > PMNS_BASE) digit -= PMNS_BASE;
    digits.push(digit);
    rest = (rest - digit) / PMNS_BASE;
  }
  // z^4 = z^2 − 1
  digits[2] += rest;
  digits[0] -= rest;
  return digits;
}

/** Digits of value·R, biased: a constant as the transforms' kernels read it. */
export const pmnsBiasedDigits = (value: bigint): bigint[] =>
  pmnsDigits(value * PMNS_MONTGOMERY_R).map((digit) => digit + BIAS);

/** Digits of signed limbs of 23 bits, three a digit. */
export const digitsOfLimbs = (limbs: readonly number[]): bigint[] =>
  [0, 3, 6, 9].map(
    (i) => BigInt(limbs[i]) + (BigInt(limbs[i + 1]) << 23n) + (BigInt(limbs[i + 2]) << 46n),
  );

/** Σ digit_i·z^i modulo r, in [0, r). */
export const valueOfDigits = (digits: readonly bigint[]): bigint =>
  mod(
    digits.reduceRight((sum, digit) => sum * PMNS_BASE + digit, 0n),
    FR_MODULUS,
  );
