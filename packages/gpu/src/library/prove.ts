import { memoryReader } from '@cuzk/core/groth16/memory-reader';
import { encodeProof } from '@cuzk/core/groth16/proof';
import type { CompactWitness } from '@cuzk/core/r1cs/compact-witness';
import type { CircuitShape } from '@cuzk/core/r1cs/shape';
import { deviceCall } from '../device/device-call.ts';
import { provePartition } from '../prover/prover.ts';
import { loadCircuit, type ProvingCircuit } from '../prover/proving-circuit.ts';
import type { Gpu } from './open.ts';
import { randomScalar } from './random-scalar.ts';
import { requireWitness } from './require-witness.ts';

/**
 * Puts a circuit and its parameters (the bytes of a `.params` file) on the device, for any number of proofs; close it
 * to give the memory back. Throws CuzkError PARAMS_MALFORMED, CANCELLED, GPU_OUT_OF_MEMORY,
 * GPU_DEVICE_LOST.
 */
export const openCircuit = (
  { context }: Gpu,
  shape: CircuitShape,
  params: Uint8Array,
  options: { readonly signal?: AbortSignal } = {},
): Promise<ProvingCircuit> =>
  deviceCall(context, () => loadCircuit(context, shape, memoryReader(params), options));

/**
 * A Groth16 proof of 192 bytes, blinded by fresh randomness. One at a time on one device. Throws CuzkError
 * WITNESS_UNSATISFIED, WITNESS_MALFORMED, CANCELLED, PROOF_SELF_CHECK_FAILED, GPU_OUT_OF_MEMORY, GPU_DEVICE_LOST.
 */
export async function prove(
  { context }: Gpu,
  circuit: ProvingCircuit,
  witness: CompactWitness,
  options: { readonly signal?: AbortSignal } = {},
): Promise<Uint8Array> {
  requireWitness(circuit.shape, witness);
  const blinding = { r: randomScalar(), s: randomScalar() };
  const { proof } = await deviceCall(context, () =>
    provePartition(context, circuit, witness, blinding, { checkWitness: true, ...options }),
  );
  return encodeProof(proof);
}
