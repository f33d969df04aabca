import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { fromHex, toHex } from '../bytes.ts';
import { challengeDerivation } from './challenges.ts';
import { stackedGraph } from './graph.ts';
import { partitionChallenges, publicInputsOf } from './public-inputs.ts';
import type { PorepApiVersion, PorepVariant } from './registered-proof.ts';
import { replicaIdOf } from './replica-id.ts';
import { sectorShape } from './sector.ts';
import { nodeHashes } from './testing/node-hashes.ts';
import { readVectorJson } from './testing/vectors.ts';

interface SealRecord {
  record: string;
  sectorBytes: number;
  apiVersion: PorepApiVersion;
  features: string[];
  partitions: number;
  porepId: string;
  commR: string;
  commD: string;
  proverId: string;
  sectorId: string;
  ticket: string;
  seed: string;
  replicaId: string;
  publicInputsSha256: string;
}
const { records, detailed } = readVectorJson<{
  records: SealRecord[];
  detailed: { record: string; challenges: number[][]; publicInputsSha256: string[] }[];
}>('porep/seal-records.json.gz');

function variantOf(record: SealRecord): PorepVariant {
  if (record.features.includes('synthetic-porep')) return 'Synthetic';
  if (record.features.includes('non-interactive-porep')) return 'NonInteractive';
  expect(record.features).toEqual([]);
  return record.apiVersion === '1.0.0' ? 'V1' : 'V1_1';
}

function statementOf(record: SealRecord) {
  const shape = sectorShape(record.sectorBytes);
  const porepId = fromHex(record.porepId);
  const [commD, commR] = [fromHex(record.commD), fromHex(record.commR)];
  const replicaId = replicaIdOf(
    {
      proverId: fromHex(record.proverId),
      sectorId: BigInt(record.sectorId),
      ticket: fromHex(record.ticket),
      commD,
      porepId,
    },
    nodeHashes,
  );
  const source = { nodes: shape.nodes, replicaId, commR, seed: fromHex(record.seed) };
  return {
    shape,
    replicaId,
    commD,
    commR,
    challengeAt: challengeDerivation({ ...source, variant: variantOf(record) }, nodeHashes),
    graph: stackedGraph(shape.nodes, porepId, record.apiVersion, nodeHashes),
  };
}

const digest = (inputs: Uint8Array[]): string =>
  createHash('sha256').update(Buffer.concat(inputs)).digest('hex');

it('reproduces replica id and public inputs of all 561 regression records', () => {
  expect(records.length).toBe(561);
  const derived = records.map((record) => {
    const statement = statementOf(record);
    const hash = createHash('sha256');
    for (let k = 0; k < record.partitions; k++) {
      hash.update(Buffer.concat(publicInputsOf(statement, k)));
    }
    return [record.record, toHex(statement.replicaId), hash.digest('hex')];
  });
  expect(derived).toEqual(records.map((r) => [r.record, r.replicaId, r.publicInputsSha256]));
});

it('reproduces challenges and per-partition digests of the three detailed records', () => {
  expect(detailed.map((entry) => entry.record)).toEqual(['v16:1', 'v16:2', 'v16:443']);
  for (const entry of detailed) {
    const record = records.find((r) => r.record === entry.record);
    if (record === undefined) throw new Error(`no record ${entry.record}`);
    const statement = statementOf(record);
    const partitions = entry.challenges.map((_, k) => k);
    expect(partitions.map((k) => partitionChallenges(statement, k))).toEqual(entry.challenges);
    expect(partitions.map((k) => digest(publicInputsOf(statement, k)))).toEqual(
      entry.publicInputsSha256,
    );
  }
  // The figures printed in the specification (§9.5).
  expect(detailed[2].challenges[9].slice(0, 4)).toEqual([
    499831192, 45639652, 219423710, 135158790,
  ]);
  expect(detailed[2].publicInputsSha256[9]).toBe(
    'ebbc93b44a027823654d4dd72eb56b06f46dcb2bfd0eb773250eb4c61831b1d2',
  );
});

it('changes when any part of the statement changes', () => {
  const record = records[0];
  const other = { commR: '07'.repeat(32), ticket: '08'.repeat(32), seed: '09'.repeat(32) };
  for (const [name, value] of Object.entries(other)) {
    const changed = statementOf({ ...record, [name]: value });
    expect(digest(publicInputsOf(changed, 0))).not.toBe(record.publicInputsSha256);
  }
});
