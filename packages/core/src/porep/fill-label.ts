import { constantWord, variableWord } from '../gadgets/fill-bit-forms.ts';
import type { FillContext } from '../gadgets/fill-context.ts';
import { copyMessageWords, ELEMENT_FORMS, packDigest } from '../gadgets/fill-element-bits.ts';
import { fillSha256 } from '../gadgets/fill-sha256.ts';
import { compileSha256, type Sha256Program, sha256Aux } from '../gadgets/fill-sha256-program.ts';
import { ELEMENT_WORDS, type ElementRef } from '../r1cs/witness-sink.ts';
import { LABEL_PARENTS } from './sector.ts';

/** Words of the replica id, the layer and the node with its padding: the first block of a label. */
const HEADER_WORDS = 2 * ELEMENT_WORDS;
const programsByLayer = new Map<number, readonly Sha256Program[]>();

/** In the circuit of one layer its number is a constant, the node a variable of 64 bits (spec §6.16). */
function labelPrograms(layer: number): readonly Sha256Program[] {
  const known = programsByLayer.get(layer);
  if (known !== undefined) return known;
  const node = [variableWord(), variableWord()];
  const zeros = Array.from({ length: 5 }, () => constantWord(0));
  const parents = Array.from({ length: LABEL_PARENTS }, () => ELEMENT_FORMS).flat();
  const programs = compileSha256([
    ...ELEMENT_FORMS,
    constantWord(layer),
    ...node,
    ...zeros,
    ...parents,
  ]);
  programsByLayer.set(layer, programs);
  return programs;
}

/** Aux of one create_label; all but the last are bits. */
export const labelAux = (layer: number): number => sha256Aux(labelPrograms(layer)) + 1;

/**
 * create_label (spec §6.16): the label of `node` (below 2^53) in `layer` from its 37 parent labels in
 * slot order, whose bits the caller has sent before.
 */
export function fillLabel(
  { sink, checkpoint }: FillContext,
  replicaId: ElementRef,
  layer: number,
  node: number,
  parents: readonly ElementRef[],
): ElementRef {
  const message = new Uint32Array(HEADER_WORDS + ELEMENT_WORDS * LABEL_PARENTS);
  copyMessageWords(sink, replicaId, message, 0);
  message[ELEMENT_WORDS] = layer;
  message[ELEMENT_WORDS + 1] = Math.floor(node / 2 ** 32);
  message[ELEMENT_WORDS + 2] = node % 2 ** 32;
  for (const [slot, parent] of parents.entries()) {
    copyMessageWords(sink, parent, message, HEADER_WORDS + ELEMENT_WORDS * slot);
  }
  const digest = fillSha256(sink, labelPrograms(layer), message);
  checkpoint();
  return packDigest(sink, digest);
}
