import { expandParents } from '../../hash/sha256-words.ts';
import type { StackedGraph } from '../graph.ts';
import type { Hashes } from '../hashes.ts';
import { DRG_PARENTS, EXP_PARENTS } from '../sector.ts';
import { labelOf } from '../vanilla.ts';

/** The label of a node in a layer (from 1). */
export type LabelAt = (node: number, layer: number) => Uint8Array;

export interface LabelRules {
  readonly replicaId: Uint8Array;
  readonly layers: number;
  readonly graph: StackedGraph;
  readonly hashes: Hashes;
}

const LABEL_BYTES = 32;
const PARENTS = DRG_PARENTS + EXP_PARENTS;

/**
 * Labels of a sector of which only `nodes` are sealed: computed from the parents' labels for these (spec §7.9),
 * `madeUp` for all others. `nodes` are in ascending order, each once. A label follows from DRG parents, which
 * are smaller nodes of its layer, and expander parents, any nodes of the layer below; so layer by layer, in
 * ascending order, a parent that is sealed itself is always done before. Memory: 32 bytes a label and 56 bytes a
 * sealed node.
 */
export function sealedLabels(
  nodes: readonly number[],
  { replicaId, layers, graph, hashes }: LabelRules,
  madeUp: LabelAt,
): LabelAt {
  const ordinals = new Map(nodes.map((node, ordinal) => [node, ordinal]));
  const parents = parentTable(nodes, graph);
  const table = new Uint8Array(LABEL_BYTES * layers * nodes.length);
  const place = (ordinal: number, layer: number): number =>
    LABEL_BYTES * (layers * ordinal + layer - 1);
  const labelAt: LabelAt = (node, layer) => {
    const ordinal = ordinals.get(node);
    if (ordinal === undefined) return madeUp(node, layer);
    const at = place(ordinal, layer);
    return table.subarray(at, at + LABEL_BYTES);
  };
  const parentLabels = (ordinal: number, layer: number): Uint8Array[] => {
    const of = [...parents.subarray(PARENTS * ordinal, PARENTS * (ordinal + 1))];
    return expandParents(
      of.slice(0, DRG_PARENTS).map((parent) => labelAt(parent, layer)),
      layer === 1 ? [] : of.slice(DRG_PARENTS).map((parent) => labelAt(parent, layer - 1)),
    );
  };
  for (let layer = 1; layer <= layers; layer++) {
    for (const [ordinal, node] of nodes.entries()) {
      const from = node === 0 ? [] : parentLabels(ordinal, layer);
      table.set(labelOf(replicaId, layer, node, from, hashes), place(ordinal, layer));
    }
  }
  return labelAt;
}

/** Fourteen parents a node, in graph order. */
function parentTable(nodes: readonly number[], graph: StackedGraph): Uint32Array {
  const table = new Uint32Array(PARENTS * nodes.length);
  for (const [ordinal, node] of nodes.entries()) {
    const { drg, exp } = graph(node);
    table.set([...drg, ...exp], PARENTS * ordinal);
  }
  return table;
}
