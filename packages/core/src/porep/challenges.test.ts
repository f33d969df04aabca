import { describe, expect, it } from 'vitest';
import { fromHex } from '../bytes.ts';
import { frToBytes } from '../field/fr.ts';
import { type ChallengeSource, challengeDerivation, syntheticSet } from './challenges.ts';
import { nobleHashes } from './hashes.ts';
import type { PorepVariant } from './registered-proof.ts';
import { readVectorJson } from './testing/vectors.ts';

interface ChallengeFacts {
  comm_r_le: string;
  replica_id_le: string;
  seed: string;
  sets: { kind: string; nodes: number; partitions: number; challenges: [number, number[]][] }[];
}
const facts = readVectorJson<ChallengeFacts>('porep/challenges.json');
const VARIANTS: Record<string, PorepVariant> = {
  interactive: 'V1_1',
  synthetic: 'Synthetic',
  'non-interactive': 'NonInteractive',
};
const source = (kind: string, nodes: number): ChallengeSource => ({
  variant: VARIANTS[kind],
  nodes,
  replicaId: fromHex(facts.replica_id_le),
  commR: fromHex(facts.comm_r_le),
  seed: fromHex(facts.seed),
});

describe.each(facts.sets)('$kind challenges of $nodes nodes', (set) => {
  it('equal those of the Rust stack in every recorded partition', () => {
    const challengeAt = challengeDerivation(source(set.kind, set.nodes), nobleHashes);
    const n = set.challenges[0][1].length;
    const derived = set.challenges.map(([k]) => [
      k,
      Array.from({ length: n }, (_, i) => challengeAt(n * k + i)),
    ]);
    expect(derived).toEqual(set.challenges);
  });
});

it('gives the upstream synthetic set and selection', () => {
  const set = syntheticSet(
    {
      nodes: 1024,
      replicaId: frToBytes(55n),
      commR: frToBytes(101n),
      seed: new Uint8Array(32).fill(1),
    },
    21,
  );
  expect(Array.from({ length: 21 }, (_, t) => set.challenge(t))).toEqual([
    178, 297, 869, 211, 875, 477, 94, 781, 124, 332, 856, 801, 176, 692, 429, 691, 290, 204, 986,
    210, 973,
  ]);
  expect(Array.from({ length: 10 }, (_, j) => set.challenge(set.selected(j)))).toEqual([
    176, 781, 801, 986, 290, 211, 692, 856, 986, 332,
  ]);
});

it('depends on exactly the values each variant is drawn from', () => {
  const other = new Uint8Array(32).fill(3);
  const draw = (changed: Partial<ChallengeSource>, kind: string) => {
    const at = challengeDerivation({ ...source(kind, 2 ** 30), ...changed }, nobleHashes);
    return [at(0), at(1), at(2)].join();
  };
  const dependsOn = (kind: string) =>
    (['replicaId', 'commR', 'seed'] as const).filter(
      (name) => draw({ [name]: other }, kind) !== draw({}, kind),
    );
  expect(dependsOn('interactive')).toEqual(['replicaId', 'seed']);
  expect(dependsOn('synthetic')).toEqual(['replicaId', 'commR', 'seed']);
  expect(dependsOn('non-interactive')).toEqual(['replicaId', 'commR']);
});

it('never challenges node 0', () => {
  const at = challengeDerivation(source('interactive', 4), nobleHashes);
  const seen = new Set(Array.from({ length: 64 }, (_, j) => at(j)));
  expect([...seen].sort()).toEqual([1, 2, 3]);
});
