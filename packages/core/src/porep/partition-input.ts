/**
 * What synthesis needs to know about one partition: the used part of a C1 (spec §2.4), checked and
 * flattened by ingest. Every 32-byte value is the little-endian canonical encoding of an Fr.
 */
export interface PathElement {
  /** Siblings left to right, own position removed: arity − 1 values of 32 bytes. */
  readonly siblings: readonly Uint8Array[];
  /** Own position among `arity` children. */
  readonly index: number;
}

/** A Merkle path from leaf to root. `sub` and `top` hold at most one element (spec §2.3). */
export interface MerklePath {
  readonly base: readonly PathElement[];
  readonly sub: readonly PathElement[];
  readonly top: readonly PathElement[];
}

export interface ColumnInput {
  /** Labels of layers 1 … L. */
  readonly rows: readonly Uint8Array[];
  readonly path: MerklePath;
}

export interface ChallengeInput {
  /** The challenged node, below 2^53. */
  readonly node: number;
  readonly dataLeaf: Uint8Array;
  readonly commDPath: MerklePath;
  /** Six columns of the DRG parents, in graph order. */
  readonly drgParents: readonly ColumnInput[];
  /** Eight columns of the expander parents, in graph order. */
  readonly expParents: readonly ColumnInput[];
  readonly commRLastPath: MerklePath;
  readonly columnPath: MerklePath;
}

export interface PartitionInput {
  /** Sector size in bytes; picks the circuit. */
  readonly sectorBytes: number;
  readonly partition: number;
  readonly replicaId: Uint8Array;
  readonly commD: Uint8Array;
  readonly commR: Uint8Array;
  readonly commRLast: Uint8Array;
  readonly commC: Uint8Array;
  readonly challenges: readonly ChallengeInput[];
  /** Public inputs without ONE, canonical LE, 32 bytes each (spec §7.5), derived by ingest from the statement. */
  readonly publicInputs: readonly Uint8Array[];
}
