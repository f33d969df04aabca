import { bigintFromLe } from '@cuzk/core/bytes';
import { FR_BYTES } from '@cuzk/core/field/fr';
import { developmentToxicWaste } from '@cuzk/core/groth16/development-waste';
import { memoryReader } from '@cuzk/core/groth16/memory-reader';
import {
  type PreparedVerifyingKey,
  prepareVerifyingKey,
  verifyProof,
} from '@cuzk/core/groth16/verify';
import type { CompactWitness } from '@cuzk/core/r1cs/compact-witness';
import type { GpuContext } from '@cuzk/gpu/device/context';
import { provePartition } from '@cuzk/gpu/prover/prover';
import { loadCircuit, type ProvingCircuit } from '@cuzk/gpu/prover/proving-circuit';
import { makeParamsInMemory } from '@cuzk/gpu/setup/params-in-memory';
import { randomBlinding } from '@cuzk/service-kit/circuits/random-blinding';
import { smallPartition } from './small-partition.ts';

export interface SmallProof {
  readonly constraints: number;
  readonly verified: boolean;
  readonly seconds: number;
}

/**
 * Everything once, small: one Poseidon hash as circuit, its parameters made in memory, its proof, and the check by
 * core's verifier. Runs most kernels of the prover, so it shows whether this device can prove at all.
 */
export async function proveSmallCircuit(context: GpuContext): Promise<SmallProof> {
  const startedAt = performance.now();
  const { shape, witness } = smallPartition('one Poseidon hash');
  const waste = developmentToxicWaste();
  const { params } = await makeParamsInMemory(context, shape, waste);
  const circuit = await loadCircuit(context, shape, memoryReader(params));
  try {
    const key = prepareVerifyingKey(circuit.vk);
    const { verified } = await proveAndVerify(context, circuit, key, witness);
    const seconds = Math.round(performance.now() - startedAt) / 1000;
    return { constraints: shape.constraints, verified, seconds };
  } finally {
    circuit.close();
  }
}

/** A proof of a witness with one public input: seconds from host memory to the proof, and whether core verifies it. */
export async function proveAndVerify(
  context: GpuContext,
  circuit: ProvingCircuit,
  key: PreparedVerifyingKey,
  witness: CompactWitness,
): Promise<{ readonly seconds: number; readonly verified: boolean }> {
  const startedAt = performance.now();
  const options = { checkWitness: true };
  const { proof } = await provePartition(context, circuit, witness, randomBlinding(), options);
  const seconds = (performance.now() - startedAt) / 1000;
  const publicInputs = [bigintFromLe(witness.inputs.subarray(FR_BYTES, 2 * FR_BYTES))];
  return { seconds, verified: verifyProof(key, publicInputs, proof) };
}
