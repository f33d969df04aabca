import fc from 'fast-check';
import { expect, it } from 'vitest';
import { toHex } from '../../bytes.ts';
import { expandParents } from '../../hash/sha256-words.ts';
import { type GraphParents, stackedGraph } from '../graph.ts';
import { porepIdOf } from '../registered-proof.ts';
import { nodeHashes } from '../testing/node-hashes.ts';
import { labelOf } from '../vanilla.ts';
import { type LabelAt, sealedLabels } from './sealed-labels.ts';
import { seededValues } from './seeded-values.ts';

const NODES = 64;
const LAYERS = 3;
const hashes = nodeHashes;
const values = seededValues(7n, hashes);
const replicaId = values('ticket', 0, 0);
const madeUp: LabelAt = (node, layer) => values('label', layer, node);

/** The definition, by recursion: a label that is not made up follows from the parents' labels. */
function plainLabels(nodes: ReadonlySet<number>, graph: (node: number) => GraphParents): LabelAt {
  const known = new Map<string, Uint8Array>();
  const label: LabelAt = (node, layer) => {
    if (!nodes.has(node)) return madeUp(node, layer);
    const key = `${node} ${layer}`;
    const value = known.get(key) ?? compute(node, layer);
    known.set(key, value);
    return value;
  };
  const compute: LabelAt = (node, layer) => {
    if (node === 0) return labelOf(replicaId, layer, 0, [], hashes);
    const { drg, exp } = graph(node);
    const parents = expandParents(
      drg.map((parent) => label(parent, layer)),
      layer === 1 ? [] : exp.map((parent) => label(parent, layer - 1)),
    );
    return labelOf(replicaId, layer, node, parents, hashes);
  };
  return label;
}

const graphs = [0, 5].map((id) =>
  stackedGraph(NODES, porepIdOf(id), id === 0 ? '1.0.0' : '1.1.0', hashes),
);

it('gives every node the label of the definition, whichever nodes are sealed', () => {
  const sets = fc.uniqueArray(fc.integer({ min: 0, max: NODES - 1 }), { minLength: 1 });
  fc.assert(
    fc.property(sets, fc.constantFrom(...graphs), (chosen, graph) => {
      const nodes = chosen.sort((a, b) => a - b);
      const labelAt = sealedLabels(nodes, { replicaId, layers: LAYERS, graph, hashes }, madeUp);
      const plain = plainLabels(new Set(nodes), graph);
      for (let layer = 1; layer <= LAYERS; layer++) {
        for (let node = 0; node < NODES; node++) {
          expect(toHex(labelAt(node, layer))).toBe(toHex(plain(node, layer)));
        }
      }
    }),
    { numRuns: 40 },
  );
});

it('hashes a parent that is sealed with its real label, not with a made-up one', () => {
  const [graph] = graphs;
  const rules = { replicaId, layers: LAYERS, graph, hashes };
  const child = 40;
  const [parent] = graph(child).drg;
  const alone = sealedLabels([child], rules, madeUp);
  const both = sealedLabels([parent, child], rules, madeUp);
  expect(toHex(both(child, 1))).not.toBe(toHex(alone(child, 1)));
});
