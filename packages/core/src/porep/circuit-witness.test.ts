import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { frToBytes } from '../field/fr.ts';
import { compactAssignment } from '../r1cs/compact-assignment.ts';
import type { CompactWitness } from '../r1cs/compact-witness.ts';
import { compileTemplate } from '../r1cs/compile-shape.ts';
import { evaluateShape, firstUnsatisfiedRow } from '../r1cs/evaluate-shape.ts';
import type { CircuitShape } from '../r1cs/shape.ts';
import { referenceWitness } from '../r1cs/witness-collector.ts';
import type { PartitionInput } from './partition-input.ts';
import { PINNED_CIRCUITS } from './pinned-circuits.ts';
import { sectorShape } from './sector.ts';
import { stackedCircuit } from './stacked-circuit.ts';
import { synthesizePartition } from './synthesize.ts';
import { readPartition } from './testing/golden-partition.ts';
import { type GoldenRows, readGoldenRows } from './testing/golden-rows.ts';
import { C1_CASES, type C1CaseName } from './testing/vectors.ts';

const slow = process.env.SLOW === '1';
if (!slow) console.log('skipped: reference witness, cases other than 2KiB-V1_1-a (SLOW=1)');
const FAST: C1CaseName = '2KiB-V1_1-a';
const MATRICES = ['a', 'b', 'c'] as const;

/** The template with the pinned digest, whose hashing circuit-shape.test.ts covers. */
function shapeOf(sectorBytes: number): CircuitShape {
  const { shapeDigest } = PINNED_CIRCUITS.get(sectorBytes) ?? { shapeDigest: '' };
  return { ...compileTemplate(stackedCircuit(sectorShape(sectorBytes))), shapeDigest };
}

function synthesize(input: PartitionInput, shape: CircuitShape): CompactWitness {
  return synthesizePartition(input, sectorShape(input.sectorBytes), {
    shapeDigest: shape.shapeDigest,
    onUnsatisfied: () => {},
  });
}

function digestsOf(shape: CircuitShape, witness: CompactWitness): Omit<GoldenRows, 'aux'> {
  const hashes = MATRICES.map(() => createHash('sha256'));
  evaluateShape(shape, witness, (block) => {
    for (const [i, matrix] of MATRICES.entries()) hashes[i].update(block[matrix]);
  });
  const [a, b, c] = hashes.map((hash) => hash.digest('hex'));
  return { a, b, c };
}

describe.each(C1_CASES.filter((name) => slow || name === FAST))('%s', (name) => {
  it('has the golden row values and is satisfied', async () => {
    const input = await readPartition(name);
    const shape = shapeOf(input.sectorBytes);
    const witness = synthesize(input, shape);
    const { aux: _, ...golden } = readGoldenRows(name);
    expect(digestsOf(shape, witness)).toEqual(golden);
    expect(firstUnsatisfiedRow(shape, witness)).toBeUndefined();
  }, 120_000);
});

describe('an unsatisfied 2 KiB partition', () => {
  let shape: CircuitShape;
  let input: PartitionInput;
  beforeAll(async () => {
    input = await readPartition(FAST);
    shape = shapeOf(input.sectorBytes);
  }, 120_000);
  const flipped = (bytes: Uint8Array): Uint8Array => bytes.with(0, bytes[0] ^ 1);

  // Rows of spec §7.1 and §7.3: the preamble is 571 rows, the D path of a challenge ends 272,294 rows later.
  it.each<[string, number, (input: PartitionInput) => PartitionInput]>([
    ['comm_r', 570, (right) => ({ ...right, commR: flipped(right.commR) })],
    ['comm_d', 272_864, (right) => ({ ...right, commD: flipped(right.commD) })],
    [
      'the data leaf of challenge 1',
      571 + 1_343_675 + 272_293,
      ({ challenges: [first, second], ...rest }) => ({
        ...rest,
        challenges: [first, { ...second, dataLeaf: flipped(second.dataLeaf) }],
      }),
    ],
  ])('with another %s fails at row %i', (_, row, alter) => {
    const found = firstUnsatisfiedRow(shape, synthesize(alter(input), shape));
    expect(found?.row).toBe(row);
    expect(found?.segment).toBe(row === 570 ? 0 : 1);
    expect(found?.instance).toBe(row > 571 + 1_343_675 ? 1 : 0);
  });

  it('one flipped bit anywhere is found', () => {
    const witness = synthesize(input, shape);
    for (let aux = 600_001; aux < 1_300_000; aux += 171_717) {
      const bitPlane = witness.bitPlane.slice();
      bitPlane[aux >>> 5] ^= 1 << (aux & 31);
      expect(firstUnsatisfiedRow(shape, { ...witness, bitPlane })?.instance).toBe(0);
    }
  });
});

it('a partition of another size is refused', async () => {
  const input = await readPartition(FAST);
  expect(() => stackedCircuit(sectorShape(2048), { ...input, challenges: [] })).toThrow(RangeError);
});

it.skipIf(!slow)(
  'the reference collector gives the golden witness, and its compact form is the one synthesized',
  async () => {
    const input = await readPartition(FAST);
    const reference = referenceWitness(stackedCircuit(sectorShape(2048), input));
    expect(reference.firstUnsatisfiedRow).toBe(-1);
    const digestOf = (values: readonly bigint[]): string => {
      const hash = createHash('sha256');
      for (const value of values) hash.update(frToBytes(value));
      return hash.digest('hex');
    };
    const { a, b, c } = reference.rows;
    expect({
      aux: digestOf(reference.aux),
      a: digestOf(a),
      b: digestOf(b),
      c: digestOf(c),
    }).toEqual(readGoldenRows(FAST));
    const shape = shapeOf(2048);
    const compact = compactAssignment(shape, reference.inputs, reference.aux);
    expect(compact).toEqual(synthesize(input, shape));
  },
  600_000,
);
