import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { bytesEqual, toHex } from '../bytes.ts';
import type { CuzkError } from '../errors.ts';
import { bitmapBytes, bitmapOf } from '../r1cs/bitmap.ts';
import type { CompactWitness } from '../r1cs/compact-witness.ts';
import { expandAux } from '../r1cs/testing/expand-witness.ts';
import { circuitId } from './circuit-id.ts';
import { partitionCounts } from './fill-counts.ts';
import type { ChallengeInput, PartitionInput } from './partition-input.ts';
import { PINNED_CIRCUITS } from './pinned-circuits.ts';
import { parseSectorSize, SECTOR_SHAPES, sectorShape } from './sector.ts';
import { synthesizePartition } from './synthesize.ts';
import { readGoldenWitness, readPartition } from './testing/golden-partition.ts';
import { C1_CASES, readRepositoryFile } from './testing/vectors.ts';

const BLOCK = 32 * 65_536;
const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
const CASE = '2KiB-V1_1-a';
const RIGHT = await readPartition(CASE);

interface Synthesis {
  readonly witness: CompactWitness;
  readonly marks: Uint32Array;
  readonly aux: Uint8Array;
  readonly unsatisfied: readonly string[];
}

function synthesize(input: PartitionInput): Synthesis {
  const shape = sectorShape(input.sectorBytes);
  const counts = partitionCounts(shape);
  const marks = bitmapOf(counts.aux);
  const unsatisfied: string[] = [];
  const witness = synthesizePartition(input, shape, {
    elementMarks: marks,
    onUnsatisfied: (pointer) => unsatisfied.push(pointer),
  });
  return { witness, marks, aux: expandAux(witness, marks, counts.aux), unsatisfied };
}

/** How many aux are 0, 1 and anything else. */
function countValues(aux: Uint8Array): { zero: number; one: number; other: number } {
  const counts = { zero: 0, one: 0, other: 0 };
  const words = new Uint32Array(aux.buffer);
  for (let at = 0; at < words.length; at += 8) {
    let above = 0;
    for (let i = 1; i < 8; i++) above |= words[at + i];
    if (above !== 0 || words[at] > 1) counts.other++;
    else if (words[at] === 1) counts.one++;
    else counts.zero++;
  }
  return counts;
}

describe('partition counts', () => {
  it('are those of the ten circuits', () => {
    const rows = SECTOR_SHAPES.map((shape) => {
      const { inputs, aux, elements } = partitionCounts(shape);
      return [shape.name, inputs, aux, aux - elements];
    });
    expect(rows).toEqual([
      ['2KiB', 40, 2_685_673, 2_641_867],
      ['4KiB', 40, 2_786_423, 2_732_561],
      ['16KiB', 40, 2_974_867, 2_914_013],
      ['32KiB', 40, 3_075_617, 3_004_707],
      ['8MiB', 40, 3_842_449, 3_730_451],
      ['16MiB', 40, 3_943_199, 3_821_145],
      ['512MiB', 40, 4_420_837, 4_274_743],
      ['1GiB', 40, 4_521_587, 4_365_437],
      ['32GiB', 328, 130_169_893, 128_470_791],
      ['64GiB', 328, 131_076_643, 129_287_037],
    ]);
  });
});

describe.each(C1_CASES)('witness of %s', (name) => {
  const golden = readGoldenWitness(name);
  let made: Synthesis;
  beforeAll(async () => {
    made = synthesize(await readPartition(name));
  });

  it('has the public inputs', () => {
    const { witness, unsatisfied } = made;
    expect(toHex(witness.inputs)).toBe(
      `01${'00'.repeat(31)}${golden.public_inputs_le_hex.join('')}`,
    );
    expect(unsatisfied).toEqual([]);
  });

  it('has the aux values', () => {
    const { aux } = made;
    expect(aux.length).toBe(32 * golden.aux.count);
    const first = golden.aux_first64_le_hex.map((_, j) => toHex(aux.subarray(32 * j, 32 * j + 32)));
    expect(first).toEqual(golden.aux_first64_le_hex);
    const blocks = golden.aux.sha256_blocks_of_65536.map((_, i) =>
      sha256(aux.subarray(BLOCK * i, BLOCK * (i + 1))),
    );
    expect(blocks).toEqual(golden.aux.sha256_blocks_of_65536);
    const running = createHash('sha256');
    const steps = golden.aux.sha256_running_every_65536.map((_, i) =>
      running
        .update(aux.subarray(BLOCK * i, BLOCK * (i + 1)))
        .copy()
        .digest('hex'),
    );
    expect(steps).toEqual(golden.aux.sha256_running_every_65536);
    expect(steps.at(-1)).toBe(golden.aux.sha256);
    expect(countValues(aux)).toEqual(golden.aux_values);
  });

  it('has its elements where the circuit has them', () => {
    const bits = golden.aux.count;
    const typedBits = bitmapBytes(
      made.marks.map((word) => ~word),
      bits,
    );
    if (bits % 8 > 0) typedBits[typedBits.length - 1] &= (1 << (bits % 8)) - 1;
    expect(sha256(typedBits)).toBe(golden.typed_bits.bitmap_sha256);
    if (name.startsWith('2KiB')) {
      const path = 'packages/core/vectors/shape/2KiB-typed-bits.bin.gz';
      expect(bytesEqual(typedBits, readRepositoryFile(path))).toBe(true);
    }
  });

  it('names its circuit', () => {
    const sectorBytes = parseSectorSize(name.split('-')[0]);
    expect(made.witness.circuitId).toBe(circuitId(sectorShape(sectorBytes)));
    expect(made.witness.shapeDigest).toBe(PINNED_CIRCUITS.get(sectorBytes)?.shapeDigest);
  });
});

/** The case with its last challenge changed. */
function altered(change: (challenge: ChallengeInput) => Partial<ChallengeInput>): PartitionInput {
  const [first, last] = RIGHT.challenges;
  return { ...RIGHT, challenges: [first, { ...last, ...change(last) }] };
}

const flipped = (bytes: Uint8Array): Uint8Array => bytes.with(3, bytes[3] ^ 1);

const alterations: [string, PartitionInput, string][] = [
  [
    'a wrong sibling in tree D',
    altered(({ commDPath }) => ({
      commDPath: {
        ...commDPath,
        base: commDPath.base.map(({ siblings, index }) => ({
          siblings: siblings.map(flipped),
          index,
        })),
      },
    })),
    '/challenges/1/commDPath',
  ],
  [
    'a flipped label of a DRG parent',
    altered(({ drgParents }) => ({
      drgParents: drgParents.with(3, {
        ...drgParents[3],
        rows: drgParents[3].rows.map((row, k) => (k === 1 ? flipped(row) : row)),
      }),
    })),
    '/challenges/1/drgParents/3',
  ],
  [
    'a flipped label of an expander parent',
    altered(({ expParents }) => ({
      expParents: expParents.with(7, {
        ...expParents[7],
        rows: expParents[7].rows.map((row, k) => (k === 0 ? flipped(row) : row)),
      }),
    })),
    '/challenges/1/expParents/7',
  ],
  [
    'another data leaf',
    altered(({ dataLeaf }) => ({ dataLeaf: flipped(dataLeaf) })),
    '/challenges/1/commRLastPath',
  ],
  ['another node', altered(({ node }) => ({ node: node ^ 1 })), '/challenges/1/columnPath'],
  ['another comm_r', { ...RIGHT, commR: new Uint8Array(32) }, '/commR'],
  [
    'other public inputs',
    {
      ...RIGHT,
      publicInputs: RIGHT.publicInputs.with(38, new Uint8Array(32)),
    },
    '/publicInputs/38',
  ],
];

describe('an input that does not satisfy the circuit', () => {
  const golden = readGoldenWitness(CASE).aux.sha256;

  it.each(alterations)('%s is reported where it is', (_, input, pointer) => {
    const { aux, unsatisfied } = synthesize(input);
    expect(unsatisfied).toContain(pointer);
    const onlyStatement = pointer.startsWith('/publicInputs');
    expect(sha256(aux) === golden).toBe(onlyStatement);
  });

  it('is refused unless someone asks for the report', () => {
    const [, input, pointer] = alterations[0];
    const shape = sectorShape(input.sectorBytes);
    expect(() => synthesizePartition(input, shape)).toThrow(
      expect.objectContaining({
        code: 'WITNESS_UNSATISFIED',
        facts: expect.objectContaining({ pointer }),
      }) as CuzkError,
    );
  });
});

describe('an input of another shape', () => {
  const [first, second] = RIGHT.challenges;
  const shape = sectorShape(RIGHT.sectorBytes);
  const cases: [string, PartitionInput, RegExp][] = [
    ['too few challenges', { ...RIGHT, challenges: [first] }, /challenges: expected 2, got 1/],
    ['another sector size', { ...RIGHT, sectorBytes: 2 ** 23 }, /sectorBytes/],
    ['too few public inputs', { ...RIGHT, publicInputs: [] }, /public inputs/],
    [
      'a short path',
      altered(({ commDPath }) => ({ commDPath: { ...commDPath, base: commDPath.base.slice(1) } })),
      /comm_d path steps/,
    ],
    [
      'a level too many',
      altered(({ columnPath }) => ({ columnPath: { ...columnPath, top: first.commDPath.base } })),
      /column path steps: expected 0/,
    ],
    [
      'a missing sibling',
      altered(({ commRLastPath: { base, ...rest } }) => ({
        commRLastPath: { ...rest, base: base.with(0, { siblings: [], index: 0 }) },
      })),
      /siblings: expected 7/,
    ],
    [
      'a missing parent',
      { ...RIGHT, challenges: [first, { ...second, expParents: [] }] },
      /expander parents/,
    ],
    [
      'a column of another height',
      altered(({ drgParents }) => ({
        drgParents: drgParents.with(0, { ...drgParents[0], rows: [] }),
      })),
      /column rows/,
    ],
  ];
  it.each(cases)('with %s is refused', (_, wrong, message) => {
    expect(() => synthesizePartition(wrong, shape)).toThrow(message);
  });

  it('with a size that is not pinned needs its digest', () => {
    const unknown = { ...shape, sectorBytes: 4096 * 3 };
    const input = { ...RIGHT, sectorBytes: unknown.sectorBytes };
    expect(() => synthesizePartition(input, unknown)).toThrow(/not pinned/);
    expect(synthesizePartition(input, unknown, { shapeDigest: 'own' }).shapeDigest).toBe('own');
  });
});

describe('checkpoints', () => {
  const shape = sectorShape(RIGHT.sectorBytes);
  /** Every hash is one checkpoint: the roots, and per challenge tree D, 14 + 2 paths, 15 columns, 2 labels. */
  const hashes = 1 + 2 * (6 + 16 * 2 + 15 + 2);

  it('come with every hash, and with every layer before', () => {
    let calls = 0;
    synthesizePartition(RIGHT, shape, { checkpoint: () => calls++ });
    expect(calls).toBe(hashes + shape.layers);
  });

  it('end the synthesis by what they throw', () => {
    let calls = 0;
    const reason = new Error('cancelled');
    const checkpoint = (): void => {
      if (++calls === 10) throw reason;
    };
    expect(() => synthesizePartition(RIGHT, shape, { checkpoint })).toThrow(reason);
    expect(calls).toBe(10);
  });
});
