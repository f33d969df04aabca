import { ELEMENT_WORDS, type ElementRef } from '../r1cs/witness-sink.ts';
import type { FillContext } from './fill-context.ts';
import {
  copyMessageWords,
  ELEMENT_BITS,
  ELEMENT_FORMS,
  fillElementBits,
  packDigest,
} from './fill-element-bits.ts';
import { fillSha256 } from './fill-sha256.ts';
import { compileSha256, sha256Aux } from './fill-sha256-program.ts';

const programs = compileSha256([...ELEMENT_FORMS, ...ELEMENT_FORMS]);

/** Aux of one tree-D node hash; all but the last are bits (spec §6.10). */
export const SHA256_NODE_AUX = 2 * ELEMENT_BITS + sha256Aux(programs) + 1;

/** Tree-D node: truncated SHA-256 of two elements; the digest's element (spec §6.10). */
export function fillSha256Node(
  { sink, checkpoint }: FillContext,
  children: readonly ElementRef[],
): ElementRef {
  const message = new Uint32Array(2 * ELEMENT_WORDS);
  for (const [i, child] of children.entries()) {
    fillElementBits(sink, child);
    copyMessageWords(sink, child, message, ELEMENT_WORDS * i);
  }
  const digest = fillSha256(sink, programs, message);
  checkpoint();
  return packDigest(sink, digest);
}
