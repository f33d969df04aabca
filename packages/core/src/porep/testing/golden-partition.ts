import { fromHex } from '../../bytes.ts';
import type { PartitionInput } from '../partition-input.ts';
import { parseSectorSize } from '../sector.ts';
import { rawPartition } from './raw-c1.ts';
import { type C1CaseName, readC1Case, readVectorJson } from './vectors.ts';

interface SequenceDigest {
  readonly count: number;
  readonly sha256: string;
  readonly sha256_blocks_of_65536: readonly string[];
  readonly sha256_running_every_65536: readonly string[];
}

/** What the Rust stack has to say about the witness of one partition. */
export interface GoldenWitness {
  readonly aux: SequenceDigest;
  readonly aux_first64_le_hex: readonly string[];
  readonly aux_values: { readonly one: number; readonly other: number; readonly zero: number };
  readonly public_inputs_le_hex: readonly string[];
  readonly typed_bits: {
    readonly bitmap_sha256: string;
    readonly count: number;
    readonly ones: number;
  };
}

export const readGoldenWitness = (name: C1CaseName): GoldenWitness =>
  readVectorJson<{ partitions: GoldenWitness[] }>(`witness/${name}.json.gz`).partitions[0];

/** The only partition of a case. */
export function readPartition(name: C1CaseName): PartitionInput {
  const text = new TextDecoder().decode(readC1Case(name).c1);
  const raw = rawPartition(text, parseSectorSize(name.split('-')[0]));
  const { public_inputs_le_hex } = readGoldenWitness(name);
  return { ...raw, publicInputs: public_inputs_le_hex.map(fromHex) };
}
