import { describe, expect, it } from 'vitest';
import type { CuzkError } from '../../errors.ts';
import { type CheckedC1, checkC1 } from '../c1-check.ts';
import { c1JsonPieces } from '../c1-json.ts';
import { nobleHashes } from '../hashes.ts';
import type { PartitionInput } from '../partition-input.ts';
import { partitionChallenges } from '../public-inputs.ts';
import { registeredProof } from '../registered-proof.ts';
import { proverIdOfActor } from '../replica-id.ts';
import { hexed } from '../testing/hexed.ts';
import { nodeHashes } from '../testing/node-hashes.ts';
import { sealedC1, sealSector } from '../testing/seal-sector.ts';
import {
  type SyntheticSector,
  type SyntheticSectorOptions,
  syntheticPartition,
  syntheticSector,
} from './synthetic-sector.ts';

const SECTOR = { proverId: proverIdOfActor(1000n), sectorId: 2n ** 63n + 5n };

const make = (name: string, seed: bigint, other: Partial<SyntheticSectorOptions> = {}) =>
  syntheticSector({ proof: registeredProof(name), ...SECTOR, seed, hashes: nodeHashes, ...other });

const textOf = (sector: SyntheticSector): string => [...c1JsonPieces(sector)].join('');

async function check(
  text: string,
  sector = SECTOR,
): Promise<{ checked: CheckedC1; partitions: PartitionInput[] }> {
  const partitions: PartitionInput[] = [];
  const checked = await checkC1([new TextEncoder().encode(text)], {
    ...sector,
    hashes: nodeHashes,
    onPartition: (partition) => {
      partitions.push(partition);
    },
  });
  return { checked, partitions };
}

const NAMES: [string, number][] = [
  ['StackedDrg2KiBV1', 1],
  ['StackedDrg2KiBV1_1', 1],
  ['StackedDrg2KiBV1_1_Feat_SyntheticPoRep', 1],
  ['StackedDrg2KiBV1_2_Feat_NonInteractivePoRep', 13],
  ['StackedDrg8MiBV1', 1],
  ['StackedDrg8MiBV1_1', 1],
  ['StackedDrg8MiBV1_1_Feat_SyntheticPoRep', 1],
  ['StackedDrg512MiBV1_1', 1],
];

describe.each(NAMES)('%s', (name, partitionCount) => {
  const sector = make(name, 1n);

  it('has a C1 that passes every check, and the partitions that come of it', async () => {
    const { checked, partitions } = await check(textOf(sector));
    expect(checked.header.registeredProof.name).toBe(name);
    expect(partitions.length).toBe(partitionCount);
    const made = partitions.map((_, k) => syntheticPartition(sector, k));
    expect(hexed(partitions)).toEqual(hexed(made));
  });

  it('belongs to its miner and sector number only', async () => {
    const text = textOf(sector);
    for (const other of [{ sectorId: 6n }, { proverId: proverIdOfActor(1001n) }]) {
      await expect(check(text, { ...SECTOR, ...other })).rejects.toMatchObject({
        code: 'C1_INCONSISTENT',
        facts: { pointer: '/replica_id' },
      });
    }
  });
});

describe('the same bytes', () => {
  const text = textOf(make('StackedDrg2KiBV1_1', 1n));

  it('come of the same seed, with any hashes', () => {
    expect(textOf(make('StackedDrg2KiBV1_1', 1n, { hashes: nobleHashes }))).toBe(text);
    const again = make('StackedDrg2KiBV1_1', 1n);
    expect([textOf(again), textOf(again)]).toEqual([text, text]);
  });

  it('do not come of another seed, miner or sector number', () => {
    const others = [
      make('StackedDrg2KiBV1_1', 2n),
      make('StackedDrg2KiBV1_1', 1n, { sectorId: 1n }),
      make('StackedDrg2KiBV1_1', 1n, { proverId: proverIdOfActor(1n) }),
    ];
    expect(new Set([text, ...others.map(textOf)]).size).toBe(4);
  });

  it.each([
    'StackedDrg2KiBV1_1_Feat_SyntheticPoRep',
    'StackedDrg2KiBV1_2_Feat_NonInteractivePoRep',
  ])('come of sealing all of a small sector: %s', (name) => {
    const sector = make(name, 4n);
    const { ticket, seed } = sector.header;
    const sealed = sealSector({ proof: name, ...SECTOR, ticket, seed });
    expect(textOf(sector)).toBe(new TextDecoder().decode(sealedC1(sealed)));
  });
});

it('refuses a seed that is no u64', () => {
  expect(() => make('StackedDrg2KiBV1', 2n ** 64n)).toThrow(RangeError);
  expect(() => make('StackedDrg2KiBV1', -1n)).toThrow(RangeError);
});

it.each([
  'StackedDrg32GiBV1_1_Feat_SyntheticPoRep',
  'StackedDrg512MiBV1_2_Feat_NonInteractivePoRep',
])('refuses %s, which only a real seal can have', (name) => {
  expect(() => make(name, 1n)).toThrow(
    expect.objectContaining({ code: 'REQUEST_INVALID' }) as CuzkError,
  );
});

it('has no partition beyond the last', () => {
  expect(() => syntheticPartition(make('StackedDrg2KiBV1', 1n), 1)).toThrow(/0 … 0, got 1/);
});

describe('one flipped label', () => {
  // biome-ignore lint/suspicious/noExplicitAny: a document that is about to be broken has no type
  type Json = any;
  const BASE = '/vanilla_proofs/StackedDrg2KiBV1/0/1';
  const flips: [string, (proof: Json) => number[], string][] = [
    [
      'of the challenged node',
      (proof) => proof.replica_column_proofs.c_x.column.rows[1],
      `${BASE}/replica_column_proofs/c_x/column/rows`,
    ],
    [
      'of a DRG parent',
      (proof) => proof.replica_column_proofs.drg_parents[2].column.rows[0],
      `${BASE}/replica_column_proofs/drg_parents/2/column/rows`,
    ],
    [
      'in a labeling proof',
      (proof) => proof.labeling_proofs[1].parents[36],
      `${BASE}/labeling_proofs/1/parents/36`,
    ],
  ];
  it.each(flips)('%s is refused', async (_, label, pointer) => {
    const document: Json = JSON.parse(textOf(make('StackedDrg2KiBV1_1', 1n)));
    label(document.vanilla_proofs.StackedDrg2KiBV1[0][1])[7] ^= 1;
    await expect(check(JSON.stringify(document))).rejects.toMatchObject({
      code: 'C1_INCONSISTENT',
      facts: { pointer },
    });
  });
});

/** What coincides in a sector of two challenges. */
function coincidences({ statement }: SyntheticSector): Record<string, boolean> {
  const [a, b] = partitionChallenges(statement, 0);
  const [ofA, ofB] = [a, b].map((node) => statement.graph(node));
  const [setA, setB] = [ofA, ofB].map(({ drg, exp }) => new Set([...drg, ...exp]));
  return {
    'a challenge is drawn twice': a === b,
    'a challenge is a DRG parent of another': ofA.drg.includes(b) || ofB.drg.includes(a),
    'a challenge is an expander parent of another':
      a !== b && (ofA.exp.includes(b) || ofB.exp.includes(a)),
    'a challenge is its own expander parent': ofA.exp.includes(a) || ofB.exp.includes(b),
    'node 0 is a parent': setA.has(0) || setB.has(0),
    'a parent is repeated': setA.size < 14 || setB.size < 14,
    'challenges share a parent': a !== b && [...setA].some((node) => setB.has(node)),
  };
}

it('is right where challenges, parents and node 0 coincide', async () => {
  const checked: Record<string, number> = {};
  for (let seed = 0n; seed < 300n; seed++) {
    const sector = make('StackedDrg2KiBV1_1', seed);
    const here = coincidences(sector);
    const news = Object.keys(here).filter((what) => {
      checked[what] ??= 0;
      return here[what] && checked[what] < 3;
    });
    if (news.length === 0) continue;
    const { partitions } = await check(textOf(sector));
    expect(partitions.length).toBe(1);
    for (const what of news) checked[what]++;
  }
  expect(Object.entries(checked).filter(([, times]) => times < 3)).toEqual([]);
}, 120_000);
