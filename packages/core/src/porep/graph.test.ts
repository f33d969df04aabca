import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { fromHex } from '../bytes.ts';
import { stackedGraph } from './graph.ts';
import { nobleHashes } from './hashes.ts';
import { porepIdOf, REGISTERED_PROOFS } from './registered-proof.ts';
import { nodeHashes } from './testing/node-hashes.ts';
import { readVectorJson } from './testing/vectors.ts';

interface GraphFacts {
  graph: string;
  nodes: number;
  porep_id: string;
  samples: [number, number[]][];
  table_sha256: string | null;
}
const graphs = readVectorJson<GraphFacts[]>('porep/graph-parents.json');

const graphOf = ({ porep_id, nodes }: GraphFacts) => {
  const porepId = fromHex(porep_id);
  return stackedGraph(nodes, porepId, REGISTERED_PROOFS[porepId[0]].apiVersion, nobleHashes);
};

it.each(graphs)('has the parents of the Rust stack at every sample: $graph', (facts) => {
  const graph = graphOf(facts);
  const parents = facts.samples.map(([node]) => [node, [...graph(node).drg, ...graph(node).exp]]);
  expect(parents).toEqual(facts.samples);
});

it.each(graphs.filter((facts) => facts.nodes === 64))(
  'has the recorded digest over the whole table: $graph',
  (facts) => {
    const graph = graphOf(facts);
    const table = Array.from({ length: 64 }, (_, node) => [...graph(node).drg, ...graph(node).exp]);
    const bytes = new DataView(new ArrayBuffer(4 * 14 * 64));
    table.flat().forEach((parent, i) => {
      bytes.setUint32(4 * i, parent, true);
    });
    const digest = createHash('sha256').update(new Uint8Array(bytes.buffer)).digest('hex');
    expect(facts.table_sha256).toMatch(/^[0-9a-f]{64}$/);
    expect(digest).toBe(facts.table_sha256);
  },
);

it('differs between the old and the new rules as the specification says', () => {
  const porepId = porepIdOf(4);
  const [old, later] = (['1.0.0', '1.1.0'] as const).map((version) =>
    stackedGraph(2 ** 31, porepId, version, nodeHashes),
  );
  expect(old(2 ** 30).drg).toEqual([...later(2 ** 30).drg.slice(1), 2 ** 30 - 1]);
  // 64 GiB: the Feistel output has up to 34 bits, the old rules keep 32 of them.
  const differing = Array.from({ length: 32 }, (_, i) => i + 2).filter(
    (node) => old(node).exp.join() !== later(node).exp.join(),
  );
  expect(differing.length).toBeGreaterThan(16);
  expect(old(99).exp.every((parent) => parent < 2 ** 29)).toBe(true);
});

it('refuses nodes outside the sector', () => {
  const graph = stackedGraph(64, porepIdOf(0), '1.0.0', nobleHashes);
  for (const node of [-1, 64, 1.5]) expect(() => graph(node)).toThrow(RangeError);
});
