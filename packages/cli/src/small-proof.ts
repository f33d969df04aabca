import { bigintFromLe } from '@cuzk/core/bytes';
import { FR_BYTES } from '@cuzk/core/field/fr';
import { poseidon2Circuit } from '@cuzk/core/gadgets/small-circuits';
import { developmentToxicWaste } from '@cuzk/core/groth16/development-waste';
import { prepareVerifyingKey, verifyProof } from '@cuzk/core/groth16/verify';
import { compactAssignment } from '@cuzk/core/r1cs/compact-assignment';
import { compileShape } from '@cuzk/core/r1cs/compile-shape';
import { referenceWitness } from '@cuzk/core/r1cs/witness-collector';
import type { GpuContext } from '@cuzk/gpu/device/context';
import { provePartition } from '@cuzk/gpu/prover/prover';
import { loadCircuit } from '@cuzk/gpu/prover/proving-circuit';
import { makeParams } from '@cuzk/gpu/setup/setup';
import { openBlake2s } from '@cuzk/service-kit/circuits/node-hashes';
import { randomBlinding } from '@cuzk/service-kit/circuits/random-blinding';

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
  const circuit = poseidon2Circuit({ a: 3n, b: 5n });
  const shape = compileShape(circuit, openBlake2s());
  const reference = referenceWitness(circuit);
  const witness = compactAssignment(shape, reference.inputs, reference.aux);
  const pieces: Uint8Array[] = [];
  await makeParams(context, shape, developmentToxicWaste(), async (bytes) => {
    pieces.push(bytes.slice());
  });
  const file = Buffer.concat(pieces);
  const loaded = await loadCircuit(context, shape, {
    sizeBytes: file.length,
    read: async (offset, length) => file.subarray(offset, offset + length),
  });
  try {
    const blinding = randomBlinding();
    const { proof } = await provePartition(context, loaded, witness, blinding, {
      checkWitness: true,
    });
    const publicInputs = [bigintFromLe(witness.inputs.subarray(FR_BYTES, 2 * FR_BYTES))];
    const verified = verifyProof(prepareVerifyingKey(loaded.vk), publicInputs, proof);
    const seconds = Math.round(performance.now() - startedAt) / 1000;
    return { constraints: shape.constraints, verified, seconds };
  } finally {
    loaded.close();
  }
}
