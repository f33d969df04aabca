import { fromHex } from '../../bytes.ts';
import { checkC1 } from '../c1-check.ts';
import type { PartitionInput } from '../partition-input.ts';
import { nodeHashes } from './node-hashes.ts';
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

/** The only partition of a case, as ingest gives it. */
export async function readPartition(name: C1CaseName): Promise<PartitionInput> {
  const { c1, expected } = readC1Case(name);
  let partition: PartitionInput | undefined;
  await checkC1([c1], {
    proverId: fromHex(expected.proverId),
    sectorId: BigInt(expected.sectorId),
    hashes: nodeHashes,
    onPartition(input) {
      partition = input;
    },
  });
  if (partition === undefined) throw new TypeError(`${name}: no partition`);
  return partition;
}
