import { bigintFromLe } from '@cuzk/core/bytes';
import { FR_BYTES } from '@cuzk/core/field/fr';
import { developmentToxicWaste } from '@cuzk/core/groth16/development-waste';
import { prepareVerifyingKey, verifyProof } from '@cuzk/core/groth16/verify';
import type { GpuContext } from '@cuzk/gpu/device/context';
import { provePartition } from '@cuzk/gpu/prover/prover';
import { generateSrs } from '@cuzk/gpu/setup/generate-srs';
import { randomBlinding } from '@cuzk/service-kit/circuits/random-blinding';
import { smallPartition } from './small-partition.ts';

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
  const publicInputs = [bigintFromLe(witness.inputs.subarray(FR_BYTES, 2 * FR_BYTES))];
  const proofs: TimedProof[] = [];
  try {
    for (let i = 0; i < count; i++) {
      const startedAt = performance.now();
      const options = { checkWitness: true };
      const { proof } = await provePartition(context, circuit, witness, randomBlinding(), options);
      const seconds = (performance.now() - startedAt) / 1000;
      const verified = verifyProof(key, publicInputs, proof);
      proofs.push({ constraints: shape.constraints, seconds, verified });
    }
    return proofs;
  } finally {
    circuit.close();
  }
}
