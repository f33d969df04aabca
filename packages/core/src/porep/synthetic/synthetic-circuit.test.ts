import { beforeAll, describe, expect, it } from 'vitest';
import { compileTemplate } from '../../r1cs/compile-shape.ts';
import { firstUnsatisfiedRow } from '../../r1cs/evaluate-shape.ts';
import type { CircuitShape } from '../../r1cs/shape.ts';
import { circuitId } from '../circuit-id.ts';
import type { PartitionInput } from '../partition-input.ts';
import { PINNED_CIRCUITS } from '../pinned-circuits.ts';
import { registeredProof } from '../registered-proof.ts';
import { proverIdOfActor } from '../replica-id.ts';
import { SECTOR_SHAPES, sectorShape } from '../sector.ts';
import { stackedCircuit } from '../stacked-circuit.ts';
import { synthesizePartition } from '../synthesize.ts';
import { nodeHashes } from '../testing/node-hashes.ts';
import { syntheticPartition, syntheticSector } from './synthetic-sector.ts';

const slow = process.env.SLOW === '1';
if (!slow) console.log('skipped: circuits of synthetic sectors from 8 MiB to 64 GiB (SLOW=1)');

function sectorOf(sectorBytes: number, name: string) {
  return syntheticSector({
    proof: registeredProof(name),
    sectorBytes,
    proverId: proverIdOfActor(127n),
    sectorId: 9n,
    seed: 5n,
    hashes: nodeHashes,
  });
}

/** The template with the pinned digest, whose hashing circuit-shape.test.ts covers. */
function circuitOf(sectorBytes: number): CircuitShape {
  const { shapeDigest } = PINNED_CIRCUITS.get(sectorBytes) ?? { shapeDigest: '' };
  return { ...compileTemplate(stackedCircuit(sectorShape(sectorBytes))), shapeDigest };
}

function unsatisfiedRow(circuit: CircuitShape, input: PartitionInput) {
  const witness = synthesizePartition(input, sectorShape(input.sectorBytes), {
    shapeDigest: circuit.shapeDigest,
    onUnsatisfied: () => {},
  });
  return firstUnsatisfiedRow(circuit, witness);
}

describe('a 2 KiB sector', () => {
  const sectorBytes = 2048;
  let circuit: CircuitShape;
  let input: PartitionInput;
  beforeAll(() => {
    circuit = circuitOf(sectorBytes);
    input = syntheticPartition(sectorOf(sectorBytes, 'StackedDrg2KiBV1_1'), 0);
  });

  it('satisfies its circuit', () => {
    expect(unsatisfiedRow(circuit, input)).toBeUndefined();
  }, 120_000);

  it('does not with one bit of one label flipped', () => {
    const [first, second] = input.challenges;
    const [{ rows, path }, ...others] = second.expParents;
    const flipped = rows[0].with(9, rows[0][9] ^ 1);
    const expParents = [{ rows: rows.with(0, flipped), path }, ...others];
    const wrong = { ...input, challenges: [first, { ...second, expParents }] };
    expect(unsatisfiedRow(circuit, wrong)).toBeDefined();
  }, 120_000);
});

it.each(SECTOR_SHAPES.filter(({ partitions }) => partitions === 1))(
  'synthesis of a $name sector finds nothing wrong',
  (shape) => {
    const sector = sectorOf(shape.sectorBytes, 'StackedDrg2KiBV1_1');
    const witness = synthesizePartition(syntheticPartition(sector, 0), shape);
    expect(witness.circuitId).toBe(circuitId(shape));
  },
);

it.skipIf(!slow).each([
  ['StackedDrg8MiBV1', 0],
  ['StackedDrg8MiBV1_1_Feat_SyntheticPoRep', 0],
  ['StackedDrg512MiBV1_1', 0],
  ['StackedDrg512MiBV1_1_Feat_SyntheticPoRep', 0],
  ['StackedDrg32GiBV1_1', 9],
  ['StackedDrg64GiBV1', 3],
])(
  '%s: partition %i satisfies its circuit',
  (name, partition) => {
    const { sectorBytes } = registeredProof(name);
    const input = syntheticPartition(sectorOf(sectorBytes, name), partition);
    expect(unsatisfiedRow(circuitOf(sectorBytes), input)).toBeUndefined();
  },
  1_800_000,
);
