import { FR_MODULUS } from '../field/fr.ts';
import type { FillContext } from '../gadgets/fill-context.ts';
import { fillElementBits } from '../gadgets/fill-element-bits.ts';
import { fillMerklePath, type PathStep } from '../gadgets/fill-merkle-path.ts';
import { fillPoseidon } from '../gadgets/fill-poseidon.ts';
import { fillSha256Node } from '../gadgets/fill-tree-node.ts';
import { expandParents } from '../hash/sha256-words.ts';
import type { ElementRef } from '../r1cs/witness-sink.ts';
import { fillLabel } from './fill-label.ts';
import type { ChallengeInput, ColumnInput, MerklePath } from './partition-input.ts';

/** Elements of the preamble that every challenge refers to. */
export interface PreambleElements {
  /** All labels share its bits. */
  readonly replicaId: ElementRef;
  readonly commD: ElementRef;
  readonly commRLast: ElementRef;
  readonly commC: ElementRef;
}

/** A parent's column: the elements of its labels, layer 1 first. */
type Column = readonly ElementRef[];

const stepsOf = ({ base, sub, top }: MerklePath): PathStep[] => [...base, ...sub, ...top];

/** Steps c and d for one parent: its labels, the column hash, the inclusion in tree C. */
function fillParentColumn(
  context: FillContext,
  { rows, path }: ColumnInput,
  commC: ElementRef,
  pointer: string,
): Column {
  const column = rows.map((row) => context.sink.elementBytes(row));
  const leaf = fillPoseidon(context, column);
  fillMerklePath(context, fillPoseidon, leaf, commC, stepsOf(path), pointer);
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
 * `pointer` names it in reports of values that do not fit.
 */
export function fillChallenge(
  context: FillContext,
  preamble: PreambleElements,
  challenge: ChallengeInput,
  pointer: string,
): void {
  const { commD, commRLast, commC } = preamble;
  const { node, commDPath, commRLastPath, columnPath } = challenge;
  const dataLeaf = context.sink.elementBytes(challenge.dataLeaf);
  const pathD = `${pointer}/commDPath`;
  fillMerklePath(context, fillSha256Node, dataLeaf, commD, stepsOf(commDPath), pathD);
  const columnsOf = (parents: readonly ColumnInput[], name: string): Column[] =>
    parents.map((parent, i) => fillParentColumn(context, parent, commC, `${pointer}/${name}/${i}`));
  const drg = columnsOf(challenge.drgParents, 'drgParents');
  const expander = columnsOf(challenge.expParents, 'expParents');
  fillNode(context, node);
  const labels: ElementRef[] = [];
  for (let layer = 1; layer <= drg[0].length; layer++) {
    labels.push(fillLayer(context, preamble.replicaId, layer, node, drg, expander));
  }
  const encoded = fillEncoding(context, labels[labels.length - 1], dataLeaf);
  const pathR = `${pointer}/commRLastPath`;
  fillMerklePath(context, fillPoseidon, encoded, commRLast, stepsOf(commRLastPath), pathR);
  const column = fillPoseidon(context, labels);
  const pathC = `${pointer}/columnPath`;
  fillMerklePath(context, fillPoseidon, column, commC, stepsOf(columnPath), pathC);
}
