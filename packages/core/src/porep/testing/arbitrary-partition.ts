import { createHash } from 'node:crypto';
import { bigintFromLe } from '../../bytes.ts';
import { FR_MODULUS, frToBytes } from '../../field/fr.ts';
import type { MerklePath, PartitionInput } from '../partition-input.ts';
import { publicInputCount, type SectorShape } from '../sector.ts';

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
