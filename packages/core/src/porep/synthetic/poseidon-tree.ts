import type { Hashes } from '../hashes.ts';
import type { SectorShape } from '../sector.ts';
import { type Filler, type SparseTree, sparseTree, treeArities } from './sparse-tree.ts';

/**
 * Tree C or R of a synthetic sector. `leafOf` gives the leaves of `nodes`; `filler` stands for every node of
 * the tree that follows from none of them.
 */
export function poseidonTree(
  shape: SectorShape,
  nodes: Iterable<number>,
  leafOf: (node: number) => Uint8Array,
  filler: Filler,
  hashes: Hashes,
): SparseTree {
  const leaves = new Map<number, Uint8Array>();
  for (const node of nodes) if (!leaves.has(node)) leaves.set(node, leafOf(node));
  return sparseTree(leaves, shape.tree, shape.basePathLength, hashes.poseidon, filler);
}

/** Filler of a tree whose other leaves are all `leaf`: one hash a level, and the tree is that of all nodes. */
export function uniformFiller(shape: SectorShape, leaf: Uint8Array, hashes: Hashes): Filler {
  const levels = [leaf];
  for (const arity of treeArities(shape.tree, shape.basePathLength)) {
    const child = levels[levels.length - 1];
    levels.push(hashes.poseidon(new Array<Uint8Array>(arity).fill(child)));
  }
  return (level) => levels[level];
}
