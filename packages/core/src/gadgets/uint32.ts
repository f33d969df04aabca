import type { ConstraintSystem } from '../r1cs/constraint-system.ts';
import { type Bool, boolOf, FALSE, isConstant, TRUE, xor } from './boolean.ts';
import { choose, majority } from './sha256-choice.ts';

/** A 32-bit word as 32 Booleans, least significant first (spec §6.6). */
export type UInt32 = readonly Bool[];

export const WORD_BITS = 32;

/** The word whose bits are all constants. */
export const constantWord = (value: number): UInt32 =>
  Array.from({ length: WORD_BITS }, (_, i) => ((value >>> i) & 1 ? TRUE : FALSE));

/** Words of a bit string in big-endian order, 32 bits each. */
export const wordsFromBitsBe = (bits: readonly Bool[]): UInt32[] =>
  Array.from({ length: bits.length / WORD_BITS }, (_, w) =>
    bits.slice(WORD_BITS * w, WORD_BITS * (w + 1)).reverse(),
  );

/** The bits of words, most significant first. */
export const bitsBeFromWords = (words: readonly UInt32[]): Bool[] =>
  words.flatMap((word) => word.toReversed());

/** Value of a word, below 2^32. */
export function wordOf(cs: ConstraintSystem, word: UInt32): number {
  let value = 0;
  for (let i = 0; i < WORD_BITS; i++) if (boolOf(cs, word[i])) value |= 1 << i;
  return value >>> 0;
}

export const isConstantWord = (word: UInt32): boolean => word.every(isConstant);

/** Rotation to the right: result bit i is bit i + n mod 32. */
export const rotateRight = (word: UInt32, n: number): UInt32 => [
  ...word.slice(n),
  ...word.slice(0, n),
];

/** Shift to the right, zeros come in at the top. */
export const shiftRight = (word: UInt32, n: number): UInt32 => [
  ...word.slice(n),
  ...Array<Bool>(n).fill(FALSE),
];

/** x ⊕ y ⊕ z, all of x ⊕ y before the rest, bit 0 first. */
export function xorThree(
  cs: ConstraintSystem,
  x: UInt32,
  y: UInt32,
  z: UInt32,
  name: string,
): UInt32 {
  cs.enter(name);
  const first: Bool[] = [];
  const result: Bool[] = [];
  for (let i = 0; i < WORD_BITS; i++) first.push(xor(cs, x[i], y[i], 'first xor ', i));
  for (let i = 0; i < WORD_BITS; i++) result.push(xor(cs, first[i], z[i], 'second xor ', i));
  cs.leave();
  return result;
}

/** SHA-256 choice on words, bit 0 first. */
export function chooseWords(cs: ConstraintSystem, x: UInt32, y: UInt32, z: UInt32): UInt32 {
  cs.enter('ch');
  const result = x.map((bit, i) => choose(cs, bit, y[i], z[i], 'ch ', i));
  cs.leave();
  return result;
}

/** SHA-256 majority on words, bit 0 first. */
export function majorityWords(cs: ConstraintSystem, x: UInt32, y: UInt32, z: UInt32): UInt32 {
  cs.enter('maj');
  const result = x.map((bit, i) => majority(cs, bit, y[i], z[i], 'maj ', i));
  cs.leave();
  return result;
}
