import { bigintFromLe } from '@cuzk/core/bytes';
import { FR_BYTES } from '@cuzk/core/field/fr';
import { developmentToxicWaste } from '@cuzk/core/groth16/development-waste';
import { prepareVerifyingKey, verifyProof } from '@cuzk/core/groth16/verify';
import type { GpuContext } from '@cuzk/gpu/device/context';
import { provePartition, uploadPartition } from '@cuzk/gpu/prover/prover';
import type { ProvingCircuit } from '@cuzk/gpu/prover/proving-circuit';
import { generateSrs } from '@cuzk/gpu/setup/generate-srs';
import { randomBlinding } from '@cuzk/service-kit/circuits/random-blinding';
import { fourDigits, type KernelResult } from './kernel-result.ts';
import type { PartitionToProve } from './sector-partition.ts';
import { timeEvaluation } from './time-evaluation.ts';
import { timeWork } from './time-work.ts';

const REPEATS = 5;
const MOST_SECONDS = 9;

/**
 * One circuit with parameters made on the device from public waste: evaluation of its rows, then whole proofs, host's
 * part included. As in a worker, the next witness goes to the device while a proof is made. Every timed proof is
 * verified by core.
 */
export async function timePartition(
  context: GpuContext,
  { name, shape, witness }: PartitionToProve,
  onResult: (result: KernelResult) => void,
): Promise<void> {
  const startedAt = performance.now();
  const circuit = await generateSrs(context, shape, developmentToxicWaste());
  const setupSeconds = (performance.now() - startedAt) / 1000;
  const partition = { name, shape, witness };
  try {
    const evaluation = await timeEvaluation(context, circuit.deviceShape, partition);
    onResult(evaluation);
    // a witness that is known to satisfy nothing is left for the verifier to refuse
    const checkWitness = evaluation.passed;
    const proofs = await proveOften(context, circuit, partition, checkWitness);
    onResult({
      ...proofs,
      figures: { ...proofs.figures, setupSeconds: fourDigits(setupSeconds) },
    });
  } finally {
    circuit.close();
  }
}

async function proveOften(
  context: GpuContext,
  circuit: ProvingCircuit,
  { name, shape, witness }: PartitionToProve,
  checkWitness: boolean,
): Promise<KernelResult> {
  const key = prepareVerifyingKey(circuit.vk);
  const publicInputs = Array.from({ length: shape.inputs - 1 }, (_, i) =>
    bigintFromLe(witness.inputs.subarray(FR_BYTES * (i + 1), FR_BYTES * (i + 2))),
  );
  const proofs: Awaited<ReturnType<typeof provePartition>>[] = [];
  let next = uploadPartition(context, circuit, witness);
  const timing = await timeWork(
    context,
    async () => {
      const proving = provePartition(context, circuit, next, randomBlinding(), {
        checkWitness,
      });
      next = uploadPartition(context, circuit, witness);
      proofs.push(await proving);
    },
    { repeats: REPEATS, mostSeconds: context.traits.software ? 0 : MOST_SECONDS },
  );
  next.close();
  const phases = proofs.at(-1)?.phases ?? [];
  return {
    name: `whole proof, ${name}`,
    ...timing,
    // its timer was read by the proof itself, so these are the last proof's
    deviceSeconds: null,
    figures: Object.fromEntries([
      ['constraints', shape.constraints],
      ...phases.map((phase) => [
        `${phase.name.replace('cuzk.gpu.', '')}Ms`,
        fourDigits(phase.durationMs),
      ]),
    ]),
    checked: `${proofs.length} proofs by core's verifier`,
    passed: proofs.every(({ proof }) => verifyProof(key, publicInputs, proof)),
  };
}
