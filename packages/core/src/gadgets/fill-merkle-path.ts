import type { PoseidonArity } from '../hash/poseidon-constants.ts';
import type { ElementRef } from '../r1cs/witness-sink.ts';
import type { FillContext } from './fill-context.ts';
import { fillInsertion, INSERTION_AUX, INSERTION_BITS } from './fill-insertion.ts';
import { poseidonAux } from './fill-poseidon.ts';
import { SHA256_NODE_AUX } from './fill-tree-node.ts';

/** One step from a node to its parent. */
export interface PathStep {
  /** arity − 1 nodes of 32 bytes, left to right, own position removed. */
  readonly siblings: readonly Uint8Array[];
  /** Own position among the children. */
  readonly index: number;
}

/** Hashes the children of a node: fillSha256Node or fillPoseidon. */
export type NodeFill = (context: FillContext, children: readonly ElementRef[]) => ElementRef;

/**
 * Inclusion of `leaf` under `root` (spec §6.13): the steps from leaf to root, then the position as a public
 * input. That the computed root equals `root` is a row, not a variable; where it does not, `unsatisfied` is
 * told `pointer`.
 */
export function fillMerklePath(
  context: FillContext,
  node: NodeFill,
  leaf: ElementRef,
  root: ElementRef,
  steps: readonly PathStep[],
  pointer: string,
): void {
  const { sink } = context;
  let current = leaf;
  let position = 0n;
  let width = 0n;
  for (const { siblings, index } of steps) {
    const digits = indexBits(siblings.length + 1);
    sink.bits(index, digits);
    position |= BigInt(index) << width;
    width += BigInt(digits);
    const others = siblings.map((sibling) => sink.elementBytes(sibling));
    current = node(context, fillInsertion(sink, current, others, index));
  }
  sink.input(position);
  if (!sink.sameElement(current, root)) context.unsatisfied(pointer);
}

const indexBits = (arity: number): number => 31 - Math.clz32(arity);

/** Aux and elements of one step in a tree of this arity. */
export function pathStepCounts(tree: 'sha256' | 'poseidon', arity: number) {
  const bits = indexBits(arity) + INSERTION_BITS[arity];
  const picks = INSERTION_AUX[arity] - INSERTION_BITS[arity];
  const hashAux = tree === 'sha256' ? SHA256_NODE_AUX : poseidonAux(arity as PoseidonArity);
  const hashElements = tree === 'sha256' ? 1 : hashAux;
  const siblings = arity - 1;
  return { aux: bits + siblings + picks + hashAux, elements: siblings + picks + hashElements };
}
