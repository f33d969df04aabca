import { checkC1 } from '@cuzk/core/porep/c1-check';
import { parseMinerAddress, proverIdOfActor } from '@cuzk/core/porep/replica-id';
import type { SectorShape } from '@cuzk/core/porep/sector';
import { stackedCircuit } from '@cuzk/core/porep/stacked-circuit';
import { synthesizePartition } from '@cuzk/core/porep/synthesize';
import type { CompactWitness } from '@cuzk/core/r1cs/compact-witness';
import { compileTemplate } from '@cuzk/core/r1cs/compile-shape';
import type { CircuitShape } from '@cuzk/core/r1cs/shape';
import { nodeHashes } from '@cuzk/service-kit/circuits/node-hashes';
import { openC1 } from '../../c1-file.ts';
import type { CliConfig } from '../../config.ts';
import { makeUpC1s } from '../prepare-single.ts';

export interface PartitionToProve {
  readonly name: string;
  readonly shape: CircuitShape;
  readonly witness: CompactWitness;
}

/**
 * The circuit of a sector size without the hash over all its rows, and the witness of the first partition of a made-up
 * sector: everything real but the parameters.
 */
export async function sectorPartition(
  config: CliConfig,
  sector: SectorShape,
  options: { readonly signal: AbortSignal; onLine(line: string): void },
): Promise<PartitionToProve> {
  const shape = { ...compileTemplate(stackedCircuit(sector)), shapeDigest: '' };
  const wanted = { sector, variant: 'V1_1', seed: 1n, count: 1 } as const;
  const made = await makeUpC1s(config, wanted, options);
  try {
    const [{ c1File, miner, sectorNumber }] = made.sectors as [(typeof made.sectors)[0]];
    let witness: CompactWitness | undefined;
    await checkC1(await openC1(c1File), {
      proverId: proverIdOfActor(parseMinerAddress(miner)),
      sectorId: BigInt(sectorNumber),
      hashes: nodeHashes,
      onPartition: async (input) => {
        witness ??= synthesizePartition(input, sector, { shapeDigest: '' });
      },
    });
    if (witness === undefined) throw new RangeError('the made-up sector has no partition');
    return { name: sector.name, shape, witness };
  } finally {
    made.remove();
  }
}
