import type { StackedGraph } from '../graph.ts';
import type { Hashes } from '../hashes.ts';
import type { SectorShape } from '../sector.ts';
import { columnRows } from './opened-sector.ts';
import { uniformFiller } from './poseidon-tree.ts';
import type { LabelAt } from './sealed-labels.ts';
import type { SeededValues } from './seeded-values.ts';
import type { Filler } from './sparse-tree.ts';

/** What stands where a synthetic sector is not sealed. */
export interface UnsealedRest {
  readonly labelAt: LabelAt;
  /** Nodes whose columns are leaves of tree C, in any order, some perhaps more than once. */
  readonly columnNodes: readonly number[];
  /** The nodes of tree C that follow from none of these leaves. */
  readonly fillerC: Filler;
}

/** Every label different. Tree C can be opened at the sealed nodes and their parents, and nowhere else. */
export function scatteredRest(
  sealed: readonly number[],
  graph: StackedGraph,
  values: SeededValues,
): UnsealedRest {
  return {
    labelAt: (node, layer) => values('label', layer, node),
    columnNodes: sealed.flatMap((node) => [node, ...graph(node).drg, ...graph(node).exp]),
    fillerC: (level, index) => values('treeC', level, index),
  };
}

/**
 * The same labels for every node. Tree C is that of the whole sector and can be opened anywhere, yet costs no
 * more than its sealed part.
 */
export function uniformRest(
  sealed: readonly number[],
  shape: SectorShape,
  values: SeededValues,
  hashes: Hashes,
): UnsealedRest {
  const rows = Array.from({ length: shape.layers }, (_, i) => values('label', i + 1, 0));
  const labelAt: LabelAt = (_, layer) => rows[layer - 1];
  const leaf = hashes.poseidon(columnRows(labelAt, shape.layers, 0));
  return { labelAt, columnNodes: sealed, fillerC: uniformFiller(shape, leaf, hashes) };
}
