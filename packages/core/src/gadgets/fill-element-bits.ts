import { swapBytes } from '../hash/sha256-words.ts';
import { ELEMENT_WORDS, type ElementRef, type WitnessSink } from '../r1cs/witness-sink.ts';
import { variableWord, type WordForms } from './fill-bit-forms.ts';

/** Aux of one bit decomposition (spec §6.3). */
export const ELEMENT_BITS = 255;

/**
 * A decomposed element as it enters SHA-256 (spec §6.9): the big-endian words of its 32 little-endian
 * bytes. The 256th bit is the constant false; it is the first bit of the last byte.
 */
export const ELEMENT_FORMS: readonly WordForms[] = [
  ...Array.from({ length: ELEMENT_WORDS - 1 }, () => variableWord()),
  variableWord(0x80),
];

/** to_bits_le: the 255 bits of an element, least significant first. */
export function fillElementBits(sink: WitnessSink, ref: ElementRef): void {
  const at = ELEMENT_WORDS * ref;
  for (let i = 0; i < ELEMENT_WORDS - 1; i++) sink.word(sink.elements[at + i]);
  sink.bits(sink.elements[at + ELEMENT_WORDS - 1], 31);
}

/** Writes the element's eight message words into `message` from `at` on. */
export function copyMessageWords(
  sink: WitnessSink,
  ref: ElementRef,
  message: Uint32Array,
  at: number,
): void {
  for (let i = 0; i < ELEMENT_WORDS; i++) {
    message[at + i] = swapBytes(sink.elements[ELEMENT_WORDS * ref + i]);
  }
}

/** pack_bits over the first 254 bits of a digest (8 big-endian words): a new element (spec §6.4, §6.9). */
export function packDigest(sink: WitnessSink, digest: Uint32Array): ElementRef {
  const ref = sink.reserveElements(1);
  const at = ELEMENT_WORDS * ref;
  for (let i = 0; i < ELEMENT_WORDS; i++) sink.elements[at + i] = swapBytes(digest[i]);
  sink.elements[at + ELEMENT_WORDS - 1] &= 0x3fffffff;
  return ref;
}
