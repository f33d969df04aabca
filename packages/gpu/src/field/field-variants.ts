import { FP_MODULUS } from '@cuzk/core/field/fp';
import { FR_MODULUS } from '@cuzk/core/field/fr';
import { mod } from '@cuzk/core/field/modular';
import type { FieldVariants } from '../device/context.ts';

/**
 * What the host must know of a generated multiplier to encode constants for it and to decode results.
 * All variants share one stored form: little-endian 32-bit words in two's complement, any value congruent to
 * the element with |value| < 2^(32·words − 1).
 */
export interface FieldVariant {
  readonly modulus: bigint;
  readonly limbs: number;
  readonly limbBits: number;
  /** 32-bit words of a stored element. */
  readonly words: number;
  /** The Montgomery factor R = 2^(limbs·limbBits): mul(a, b) is a·b/R. */
  readonly montgomeryR: bigint;
  /** Limbs and stored values are signed (two's complement). True for every variant so far. */
  readonly signed: true;
  /** Added to a constant that a kernel reads with unpack_biased, so that its limbs come out balanced. */
  readonly bias: bigint;
  /** The first operand of mul may have limbs up to looseA·2^limbBits; the second one must be carried. */
  readonly looseA: number;
}

function variant(
  modulus: bigint,
  words: number,
  limbs: number,
  limbBits: number,
  looseA: number,
): FieldVariant {
  let bias = 0n;
  for (let i = 0; i < limbs - 1; i++) bias += 1n << BigInt(limbBits * (i + 1) - 1);
  return {
    modulus,
    limbs,
    limbBits,
    words,
    montgomeryR: 1n << BigInt(limbs * limbBits),
    signed: true,
    bias,
    looseA,
  };
}

/** Facts of each generated Fp form; they repeat the arguments in scripts/generate-kernels.mjs. */
export const FP_VARIANTS: Readonly<Record<FieldVariants['fp'], FieldVariant>> = {
  signed24: variant(FP_MODULUS, 12, 16, 24, 1),
  signed13: variant(FP_MODULUS, 12, 30, 13, 1),
};

/** Facts of each generated Fr form. */
export const FR_VARIANTS: Readonly<Record<FieldVariants['fr'], FieldVariant>> = {
  signed24: variant(FR_MODULUS, 8, 11, 24, 1.5),
  karatsuba13: variant(FR_MODULUS, 8, 20, 13, 1.5),
};

/** One generated multiplier of one field. */
export type MultiplierForm = {
  readonly [F in 'fp' | 'fr']: { readonly field: F; readonly variant: FieldVariants[F] };
}['fp' | 'fr'];

export const formFacts = (form: MultiplierForm): FieldVariant =>
  form.field === 'fp' ? FP_VARIANTS[form.variant] : FR_VARIANTS[form.variant];

/** Those that a device multiplies with. */
export const formsOf = ({ fp, fr }: FieldVariants): MultiplierForm[] => [
  { field: 'fp', variant: fp },
  { field: 'fr', variant: fr },
];

export const sameForms = (a: FieldVariants, b: FieldVariants): boolean =>
  a.fp === b.fp && a.fr === b.fr;

/** The forms that need no f32 arithmetic: every device that multiplies integers right may use them. */
export const INTEGER_FORMS: FieldVariants = { fp: 'signed13', fr: 'karatsuba13' };

/** value·R mod p, in [0, p). */
export const toMontgomery = (field: FieldVariant, value: bigint): bigint =>
  mod(value * field.montgomeryR, field.modulus);

/**
 * Writes a constant as kernels read it with unpack_biased: value·R mod p, biased. With it as second operand
 * mul(x, constant) is x·value.
 */
export function writeBiasedConstant(
  field: FieldVariant,
  words: Uint32Array,
  offset: number,
  value: bigint,
): void {
  writeWords(words, offset, field.words, toMontgomery(field, value) + field.bias);
}

/** Writes `value` as `count` little-endian words in two's complement. */
export function writeWords(words: Uint32Array, offset: number, count: number, value: bigint): void {
  let rest = value;
  for (let i = 0; i < count; i++) {
    words[offset + i] = Number(BigInt.asUintN(32, rest));
    rest >>= 32n;
  }
}

/** The element in [0, p) whose stored form starts at `offset`. */
export function readElement(field: FieldVariant, words: Uint32Array, offset: number): bigint {
  let value = BigInt.asIntN(32, BigInt(words[offset + field.words - 1]));
  for (let i = field.words - 2; i >= 0; i--) value = (value << 32n) | BigInt(words[offset + i]);
  return mod(value, field.modulus);
}
