import type { ParamsFolders } from '../circuits/params-folder.ts';
import type { ParameterKind } from '../record/types.ts';

/** Partition proofs against public inputs that ingest derived. */
export interface VerifyPartitions {
  readonly task: 'partitions';
  readonly folders: ParamsFolders;
  readonly sectorBytes: number;
  /** The kind of key to use; null takes what this machine has, production first. */
  readonly parameters: ParameterKind | null;
  /** Per partition its inputs without ONE, canonical LE, 32 bytes each, concatenated. */
  readonly publicInputs: Uint8Array;
  /** 192 bytes a partition, concatenated. */
  readonly proofs: Uint8Array;
}

/** A whole seal proof against its statement, with the answers of verify_seal. */
export interface VerifySeal {
  readonly task: 'seal';
  readonly folders: ParamsFolders;
  readonly registeredProof: string;
  readonly commR: Uint8Array;
  readonly commD: Uint8Array;
  readonly ticket: Uint8Array;
  readonly seed: Uint8Array;
  /** Actor id, decimal. */
  readonly minerId: string;
  readonly sectorNumber: string;
  readonly proof: Uint8Array;
}

/** Makes a key ready and verifies something that does not hold, so that the first proof finds everything warm. */
export interface PrepareKey {
  readonly task: 'prepare';
  readonly folders: ParamsFolders;
  readonly sectorBytes: number;
  readonly parameters: ParameterKind | null;
}

export type VerifyTask = VerifyPartitions | VerifySeal | PrepareKey;

export interface VerifyAnswer {
  readonly parameters: ParameterKind;
  /** True when everything holds; false for a prepare task. */
  readonly verified: boolean;
  /** Partitions whose proof does not hold (partitions task). */
  readonly badPartitions: readonly number[];
}
