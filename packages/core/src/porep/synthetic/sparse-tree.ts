import type { NodeHash } from '../merkle-path.ts';
import type { MerklePath, PathElement } from '../partition-input.ts';
import type { TreeShape } from '../sector.ts';

/**
 * A Merkle tree of which only some leaves are known; `filler` stands in for everything that follows from none of them.
 */
export interface SparseTree {
  readonly root: Uint8Array;
  readonly leaf: (position: number) => Uint8Array;
  readonly path: (position: number) => MerklePath;
}

/** Node `index` of `level`; level 0 are the leaves. */
export type Filler = (level: number, index: number) => Uint8Array;

/** Children of a node on each level, leaf upwards. */
export const treeArities = ({ base, sub, top }: TreeShape, baseLength: number): number[] => [
  ...new Array<number>(baseLength).fill(base),
  ...[sub, top].filter((arity) => arity > 0),
];

/** Builds a tree; `shape` and `baseLength` as in a path, leaf upwards. With all leaves known it is an ordinary tree. */
export function sparseTree(
  leaves: ReadonlyMap<number, Uint8Array>,
  shape: TreeShape,
  baseLength: number,
  hash: NodeHash,
  filler: Filler,
): SparseTree {
  const arities = treeArities(shape, baseLength);
  const levels: Map<number, Uint8Array>[] = [new Map(leaves)];
  const node: Filler = (level, index) => levels[level]?.get(index) ?? filler(level, index);
  arities.forEach((arity, level) => {
    const parents = new Set([...levels[level].keys()].map((index) => Math.floor(index / arity)));
    const above = new Map<number, Uint8Array>();
    for (const parent of parents) {
      const children = Array.from({ length: arity }, (_, i) => node(level, parent * arity + i));
      above.set(parent, hash(children));
    }
    levels.push(above);
  });
  const path = (position: number): MerklePath => {
    let at = position;
    const elements = arities.map((arity, level): PathElement => {
      const index = at % arity;
      const first = at - index;
      at = first / arity;
      const others = Array.from({ length: arity }, (_, i) => i).filter((i) => i !== index);
      return { index, siblings: others.map((i) => node(level, first + i)) };
    });
    const base = elements.slice(0, baseLength);
    const [sub, top] = [elements.slice(baseLength, baseLength + 1), elements.slice(baseLength + 1)];
    return { base, sub, top };
  };
  return { root: node(arities.length, 0), leaf: (position) => node(0, position), path };
}
