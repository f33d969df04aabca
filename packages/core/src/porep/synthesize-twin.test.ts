import { expect, it } from 'vitest';
import { bigintFromLe } from '../bytes.ts';
import { frToBytes } from '../field/fr.ts';
import { bitmapOf } from '../r1cs/bitmap.ts';
import { expandAux } from '../r1cs/testing/expand-witness.ts';
import { referenceWitness } from '../r1cs/witness-collector.ts';
import { partitionCounts } from './fill-counts.ts';
import type { SectorShape } from './sector.ts';
import { stackedCircuit } from './stacked-circuit.ts';
import { synthesizePartition } from './synthesize.ts';
import { arbitraryPartition } from './testing/arbitrary-partition.ts';

/** A shape with one challenge, short paths and every kind of level. */
const testShape = (layers: number, sub: number, top: number): SectorShape => ({
  name: `test-${layers}-${sub}-${top}`,
  sectorBytes: 2048,
  nodes: 64,
  layers,
  challengesPerPartition: 1,
  partitions: 1,
  minimumChallenges: 1,
  tree: { base: 8, sub, top },
  basePathLength: 1,
  commDDepth: 1,
});

const slow = process.env.SLOW === '1';
if (!slow) console.log('skipped: the fills against the generic collector take minutes (SLOW=1)');

it.skipIf(!slow).each([
  [2, 8, 2],
  [2, 4, 0],
  [11, 8, 0],
])(
  'equals the generic collector with %i layers and trees 8-%i-%i',
  (layers, sub, top) => {
    const shape = testShape(layers, sub, top);
    const input = arbitraryPartition(shape);
    const { aux: count } = partitionCounts(shape);
    const marks = bitmapOf(count);
    const witness = synthesizePartition(input, shape, {
      shapeDigest: '',
      elementMarks: marks,
      onUnsatisfied: () => {},
    });
    const aux = expandAux(witness, marks, count);
    const reference = referenceWitness(stackedCircuit(shape, input));
    expect(reference.inputs.map((x) => [...frToBytes(x)])).toEqual(
      reference.inputs.map((_, i) => [...witness.inputs.subarray(32 * i, 32 * i + 32)]),
    );
    expect(reference.aux.length).toBe(count);
    const first = reference.aux.findIndex(
      (x, j) => x !== bigintFromLe(aux.subarray(32 * j, 32 * j + 32)),
    );
    expect(first).toBe(-1);
  },
  600_000,
);
