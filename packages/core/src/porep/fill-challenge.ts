import { FR_MODULUS } from '../field/fr.ts';
import type { FillContext } from '../gadgets/fill-context.ts';
import { fillElementBits } from '../gadgets/fill-element-bits.ts';
import {
  fillMerklePath,
  type NodeFill,
  poseidonNodeFill,
  sha256NodeFill,
} from '../gadgets/fill-merkle-path.ts';
import { fillPoseidon } from '../gadgets/fill-poseidon.ts';
import { expandParents } from '../hash/sha256-words.ts';
import type { ElementRef } from '../r1cs/witness-sink.ts';
import { fillLabel } from './fill-label.ts';
import type { ChallengeInput, ColumnInput, MerklePath } from './partition-input.ts';

/** A parent's column: the elements of its labels, layer 1 first. */
type Column = readonly ElementRef[];

const fillPath = (
  context: FillContext,
  node: NodeFill,
  leaf: ElementRef,
  { base, sub, top }: MerklePath,
): ElementRef => fillMerklePath(context, node, leaf, [...base, ...sub, ...top]);

/** Steps c and d for one parent: its labels, the column hash, the inclusion in tree C. */
function fillParentColumn(context: FillContext, { rows, path }: ColumnInput): Column {
  const column = rows.map((row) => context.sink.elementBytes(row));
  fillPath(context, poseidonNodeFill, fillPoseidon(context, column), path);
  return column;
}

/** Step e: the challenge as 64 bits and as a public input. */
function fillNode({ sink }: FillContext, node: number): void {
  sink.word(node % 2 ** 32);
  sink.word(Math.floor(node / 2 ** 32));
  sink.input(BigInt(node));
}

/** Step f for one layer: the bits of all parents, anew in each layer, then the label. */
function fillLayer(
  context: FillContext,
  replicaId: ElementRef,
  layer: number,
  node: number,
  drg: readonly Column[],
  expander: readonly Column[],
): ElementRef {
  const sameLayer = drg.map((column) => column[layer - 1]);
  const layerBelow = layer === 1 ? [] : expander.map((column) => column[layer - 2]);
  for (const parent of [...sameLayer, ...layerBelow]) fillElementBits(context.sink, parent);
  return fillLabel(context, replicaId, layer, node, expandParents(sameLayer, layerBelow));
}

/** Step g: data leaf plus key, a new element. */
function fillEncoding({ sink }: FillContext, key: ElementRef, dataLeaf: ElementRef): ElementRef {
  return sink.element((sink.elementValue(key) + sink.elementValue(dataLeaf)) % FR_MODULUS);
}

/**
 * One challenge of the StackedDRG circuit, steps a to j of spec §7.2, with its 18 public inputs.
 * `replicaId` is the element of the preamble whose bits all labels share.
 */
export function fillChallenge(
  context: FillContext,
  replicaId: ElementRef,
  challenge: ChallengeInput,
): void {
  const { node } = challenge;
  const dataLeaf = context.sink.elementBytes(challenge.dataLeaf);
  fillPath(context, sha256NodeFill, dataLeaf, challenge.commDPath);
  const drg = challenge.drgParents.map((parent) => fillParentColumn(context, parent));
  const expander = challenge.expParents.map((parent) => fillParentColumn(context, parent));
  fillNode(context, node);
  const labels: ElementRef[] = [];
  for (let layer = 1; layer <= drg[0].length; layer++) {
    labels.push(fillLayer(context, replicaId, layer, node, drg, expander));
  }
  const encoded = fillEncoding(context, labels[labels.length - 1], dataLeaf);
  fillPath(context, poseidonNodeFill, encoded, challenge.commRLastPath);
  fillPath(context, poseidonNodeFill, fillPoseidon(context, labels), challenge.columnPath);
}
