import { expandParents } from '../../hash/sha256-words.ts';
import type { ChallengeProof, ColumnProof, LabelProof, MerkleProof } from '../c1-document.ts';
import type { StackedGraph } from '../graph.ts';
import type { LabelAt } from './sealed-labels.ts';
import type { SparseTree } from './sparse-tree.ts';
import type { ZeroDataTree } from './zero-data-tree.ts';

/** All that vanilla proofs are read from. */
export interface OpenedSector {
  readonly layers: number;
  readonly graph: StackedGraph;
  readonly labelAt: LabelAt;
  readonly treeD: ZeroDataTree;
  readonly treeC: SparseTree;
  readonly treeR: SparseTree;
}

/** Labels of a node, layer 1 first. */
export const columnRows = (labelAt: LabelAt, layers: number, node: number): Uint8Array[] =>
  Array.from({ length: layers }, (_, i) => labelAt(node, i + 1));

/** The vanilla proof of one challenged node (spec §2.3, §7.9). */
export function challengeProof(sector: OpenedSector, node: number): ChallengeProof {
  const { layers, graph, labelAt, treeD, treeC, treeR } = sector;
  const { drg, exp } = graph(node);
  const column = (of: number): ColumnProof => ({
    index: of,
    rows: columnRows(labelAt, layers, of),
    inclusion: merkleProof(treeC, of),
  });
  const drgParents = drg.map(column);
  const expParents = exp.map(column);
  const labeling = Array.from({ length: layers }, (_, i): LabelProof => {
    const parents = expandParents(
      drgParents.map(({ rows }) => rows[i]),
      i === 0 ? [] : expParents.map(({ rows }) => rows[i - 1]),
    );
    return { parents, layerIndex: i + 1, node };
  });
  return {
    commD: treeD.merkleProof(node),
    commRLast: merkleProof(treeR, node),
    column: column(node),
    drgParents,
    expParents,
    labeling,
    encoding: labeling[layers - 1],
  };
}

const merkleProof = (tree: SparseTree, node: number): MerkleProof => ({
  root: tree.root,
  leaf: tree.leaf(node),
  path: tree.path(node),
});
