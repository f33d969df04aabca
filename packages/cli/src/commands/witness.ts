import { checkC1OfAnySector } from '@cuzk/core/porep/c1-check';
import { sectorShape } from '@cuzk/core/porep/sector';
import { synthesizePartition } from '@cuzk/core/porep/synthesize';
import type { CircuitShape } from '@cuzk/core/r1cs/shape';
import { nodeHashes } from '@cuzk/service-kit/circuits/node-hashes';
import { loadShape } from '@cuzk/service-kit/circuits/shape-cache';
import type { Command } from 'commander';
import type { CliContext } from '../cli-context.ts';
import { openC1 } from '../files/c1-file.ts';
import { type WitnessDigests, witnessDigests } from '../witness-digests.ts';

/** `cuzk witness`: synthesizes every partition of a C1 and prints digests of what came out. */
export function defineWitness(program: Command, { config, output }: CliContext): void {
  program
    .command('witness')
    .description('synthesize every partition of a C1 and print digests of its witness and rows')
    .argument('<c1>', 'C1 file')
    .action(async (file: string) => {
      const partitions: WitnessDigests[] = [];
      let circuit: CircuitShape | undefined;
      await checkC1OfAnySector(await openC1(file), {
        hashes: nodeHashes,
        onPartition: async (input) => {
          const sector = sectorShape(input.sectorBytes);
          circuit ??= await loadShape(config.cacheDir, sector);
          output.progress(`partition ${input.partition} of ${sector.name}`);
          const { shapeDigest } = circuit;
          const witness = synthesizePartition(input, sector, { shapeDigest });
          partitions.push(witnessDigests(circuit, witness));
        },
      });
      output.result({ partitions }, partitions.flatMap(partitionLines));
    });
}

const partitionLines = (digests: WitnessDigests, index: number): string[] => [
  `partition ${index}: ${digests.publicInputs.length} public inputs`,
  `  aux  ${digests.auxSha256}`,
  `  a    ${digests.aSha256}`,
  `  b    ${digests.bSha256}`,
  `  c    ${digests.cSha256}`,
];
