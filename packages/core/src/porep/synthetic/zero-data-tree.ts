import type { MerkleProof } from '../c1-document.ts';
import type { Hashes } from '../hashes.ts';
import { NODE_BYTES, type SectorShape } from '../sector.ts';
import { treeDNode } from '../vanilla.ts';

/** Tree D of a committed-capacity sector, whose data are all zero. */
export interface ZeroDataTree {
  readonly commD: Uint8Array;
  readonly merkleProof: (node: number) => MerkleProof;
}

/** Tree D over zeros: on every level all nodes are the same, so one hash a level is enough. */
export function zeroDataTree({ commDDepth }: SectorShape, hashes: Hashes): ZeroDataTree {
  const levels: Uint8Array[] = [new Uint8Array(NODE_BYTES)];
  for (let level = 0; level < commDDepth; level++) {
    levels.push(treeDNode(levels[level], levels[level], hashes));
  }
  const [leaf] = levels;
  const commD = levels[commDDepth];
  const merkleProof = (node: number): MerkleProof => {
    const base = Array.from({ length: commDDepth }, (_, level) => ({
      siblings: [levels[level]],
      index: Math.floor(node / 2 ** level) % 2,
    }));
    return { root: commD, leaf, path: { base, sub: [], top: [] } };
  };
  return { commD, merkleProof };
}
