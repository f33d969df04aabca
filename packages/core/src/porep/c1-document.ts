import type { MerklePath } from './partition-input.ts';
import type { RegisteredProof } from './registered-proof.ts';

/** The parts of a C1 document (spec §2.3) under this product's names; 32-byte values as in the document. */
export interface MerkleProof {
  readonly root: Uint8Array;
  readonly leaf: Uint8Array;
  readonly path: MerklePath;
}

export interface ColumnProof {
  readonly index: number;
  /** Labels of layers 1 … L. */
  readonly rows: readonly Uint8Array[];
  readonly inclusion: MerkleProof;
}

/** A labeling proof (one per layer) or the encoding proof. */
export interface LabelProof {
  /** The 37 parent slots. */
  readonly parents: readonly Uint8Array[];
  readonly layerIndex: number;
  readonly node: number;
}

export interface ChallengeProof {
  readonly commD: MerkleProof;
  readonly commRLast: MerkleProof;
  /** Column of the challenged node, c_x. */
  readonly column: ColumnProof;
  readonly drgParents: readonly ColumnProof[];
  readonly expParents: readonly ColumnProof[];
  readonly labeling: readonly LabelProof[];
  readonly encoding: LabelProof;
}

/** Everything of a C1 but its vanilla proofs. */
export interface C1Header {
  readonly registeredProof: RegisteredProof;
  readonly commR: Uint8Array;
  readonly commD: Uint8Array;
  readonly replicaId: Uint8Array;
  readonly seed: Uint8Array;
  readonly ticket: Uint8Array;
}

/** Where the proof of a challenge stands in the document. */
export const challengePointer = (sizeKey: string, partition: number, index: number): string =>
  `/vanilla_proofs/${sizeKey}/${partition}/${index}`;
