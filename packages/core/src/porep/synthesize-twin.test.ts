import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { bigintFromLe } from '../bytes.ts';
import { FR_MODULUS, frToBytes } from '../field/fr.ts';
import { bitmapOf } from '../r1cs/bitmap.ts';
import { expandAux } from '../r1cs/testing/expand-witness.ts';
import { referenceWitness } from '../r1cs/witness-collector.ts';
import { partitionCounts } from './fill-counts.ts';
import type { MerklePath, PartitionInput } from './partition-input.ts';
import { publicInputCount, type SectorShape } from './sector.ts';
import { stackedCircuit } from './stacked-circuit.ts';
import { synthesizePartition } from './synthesize.ts';

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

/** An input of this shape whose values are all different and whose roots fit nothing. */
export function arbitraryPartition(shape: SectorShape): PartitionInput {
  let counter = 0;
  const value = (): Uint8Array => {
    const digest = createHash('sha256').update(`${counter++}`).digest();
    return frToBytes(bigintFromLe(new Uint8Array(digest)) % FR_MODULUS);
  };
  const steps = (arity: number, length: number) =>
    Array.from({ length: arity > 0 ? length : 0 }, () => ({
      siblings: Array.from({ length: arity - 1 }, value),
      index: counter++ % arity,
    }));
  const { tree } = shape;
  const path = (): MerklePath => ({
    base: steps(tree.base, shape.basePathLength),
    sub: steps(tree.sub, 1),
    top: steps(tree.top, 1),
  });
  const column = () => ({ rows: Array.from({ length: shape.layers }, value), path: path() });
  return {
    sectorBytes: shape.sectorBytes,
    partition: 0,
    replicaId: value(),
    commD: value(),
    commR: value(),
    commRLast: value(),
    commC: value(),
    challenges: Array.from({ length: shape.challengesPerPartition }, () => ({
      node: 2 ** 40 + counter++,
      dataLeaf: value(),
      commDPath: { base: steps(2, shape.commDDepth), sub: [], top: [] },
      drgParents: Array.from({ length: 6 }, column),
      expParents: Array.from({ length: 8 }, column),
      commRLastPath: path(),
      columnPath: path(),
    })),
    publicInputs: Array.from({ length: publicInputCount(shape) }, () => new Uint8Array(32)),
  };
}

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
