import { developmentToxicWaste } from '@cuzk/core/groth16/development-waste';
import { prepareVerifyingKey } from '@cuzk/core/groth16/verify';
import type { GpuContext } from '@cuzk/gpu/device/context';
import { generateSrs } from '@cuzk/gpu/setup/generate-srs';
import { smallPartition } from '../../small-partition.ts';
import { proveAndVerify } from '../../small-proof.ts';

export interface TimedProof {
  readonly constraints: number;
  /** From the witness in host memory to the proof. */
  readonly seconds: number;
  readonly verified: boolean;
}

/** Proofs of one Poseidon hash one after the other, parameters made on the device before. */
export async function timeSmallProofs(context: GpuContext, count: number): Promise<TimedProof[]> {
  const { shape, witness } = smallPartition('one Poseidon hash');
  const circuit = await generateSrs(context, shape, developmentToxicWaste());
  const key = prepareVerifyingKey(circuit.vk);
  const proofs: TimedProof[] = [];
  try {
    for (let i = 0; i < count; i++) {
      const timed = await proveAndVerify(context, circuit, key, witness);
      proofs.push({ constraints: shape.constraints, ...timed });
    }
    return proofs;
  } finally {
    circuit.close();
  }
}
