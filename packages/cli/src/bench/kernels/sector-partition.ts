import { registeredProof } from '@cuzk/core/porep/registered-proof';
import { proverIdOfActor } from '@cuzk/core/porep/replica-id';
import type { SectorShape } from '@cuzk/core/porep/sector';
import { stackedCircuit } from '@cuzk/core/porep/stacked-circuit';
import { synthesizePartition } from '@cuzk/core/porep/synthesize';
import { syntheticPartition, syntheticSector } from '@cuzk/core/porep/synthetic/synthetic-sector';
import type { CompactWitness } from '@cuzk/core/r1cs/compact-witness';
import { compileTemplate } from '@cuzk/core/r1cs/compile-shape';
import type { CircuitShape } from '@cuzk/core/r1cs/shape';
import { nodeHashes } from '@cuzk/service-kit/circuits/node-hashes';

export interface PartitionToProve {
  readonly name: string;
  readonly shape: CircuitShape;
  readonly witness: CompactWitness;
  /**
   * What its proof and the making of its parameters may take in software on the reference machine
   * (docs/performance.md).
   */
  readonly softwareGoals?: { readonly proofSeconds: number; readonly parametersSeconds: number };
}

/** The smallest sector is the only one that is proved in software day by day. */
export const SMALLEST_SECTOR_BYTES = 2048;
const SMALLEST_SECTOR_GOALS = { proofSeconds: 55, parametersSeconds: 180 };

/**
 * The circuit of a sector size without the hash over all its rows, and the witness of the first partition of a made-up
 * sector: everything real but the parameters.
 */
export function sectorPartition(sector: SectorShape): PartitionToProve {
  const made = syntheticSector({
    proof: registeredProof(`StackedDrg${sector.name}V1_1`),
    proverId: proverIdOfActor(1000n),
    sectorId: 1n,
    seed: 1n,
    hashes: nodeHashes,
  });
  return {
    name: sector.name,
    shape: { ...compileTemplate(stackedCircuit(sector)), shapeDigest: '' },
    witness: synthesizePartition(syntheticPartition(made, 0), sector, { shapeDigest: '' }),
    ...(sector.sectorBytes === SMALLEST_SECTOR_BYTES
      ? { softwareGoals: SMALLEST_SECTOR_GOALS }
      : {}),
  };
}
