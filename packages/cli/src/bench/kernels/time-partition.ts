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
import { type ScaledTiming, timeScaled } from './time-scaled.ts';
import { timeWork } from './time-work.ts';

const REPEATS = 5;
const MOST_SECONDS = 9;

/**
 * One circuit with parameters made on the device from public waste: evaluation of its rows, whole proofs, host's part
 * included, and the making of the parameters, which is right where proofs verify under their key. As in a worker, the
 * next witness goes to the device while a proof is made. Every timed proof is verified by core.
 */
export async function timePartition(
  context: GpuContext,
  { shape, witness, ...partition }: PartitionToProve,
  onResult: (result: KernelResult) => void,
): Promise<void> {
  const making = await timeScaled(
    context,
    () => generateSrs(context, shape, developmentToxicWaste()),
    partition.softwareGoals?.parametersSeconds,
  );
  const circuit = making.result;
  try {
    const toProve = { ...partition, shape, witness };
    const evaluation = await timeEvaluation(context, circuit.deviceShape, toProve);
    onResult(evaluation);
    // a witness that is known to satisfy nothing is left for the verifier to refuse
    const proofs = await proveOften(context, circuit, toProve, evaluation.passed);
    onResult(proofs);
    onResult({
      name: `parameters on the device, ${partition.name}`,
      deviceSeconds: null,
      wallSeconds: making.wallSeconds,
      repeats: 1,
      figures: making.figures,
      checked: proofs.checked,
      passed: proofs.passed,
    });
  } finally {
    circuit.close();
  }
}

async function proveOften(
  context: GpuContext,
  circuit: ProvingCircuit,
  { name, shape, witness, softwareGoals }: PartitionToProve,
  checkWitness: boolean,
): Promise<KernelResult> {
  const key = prepareVerifyingKey(circuit.vk);
  const publicInputs = Array.from({ length: shape.inputs - 1 }, (_, i) =>
    bigintFromLe(witness.inputs.subarray(FR_BYTES * (i + 1), FR_BYTES * (i + 2))),
  );
  const proofs: Awaited<ReturnType<typeof provePartition>>[] = [];
  let next = await uploadPartition(context, circuit, witness);
  const proveOnce = async (): Promise<void> => {
    const proving = provePartition(context, circuit, next, randomBlinding(), {
      checkWitness,
    });
    next = await uploadPartition(context, circuit, witness);
    proofs.push(await proving);
  };
  const timing = context.traits.software
    ? await timeSecond(context, proveOnce, softwareGoals?.proofSeconds)
    : await timeWork(context, proveOnce, { repeats: REPEATS, mostSeconds: MOST_SECONDS });
  next.close();
  const phases = proofs.at(-1)?.phases ?? [];
  return {
    name: `whole proof, ${name}`,
    repeats: timing.repeats,
    wallSeconds: timing.wallSeconds,
    // its timer was read by the proof itself, so these are the last proof's
    deviceSeconds: null,
    figures: Object.fromEntries([
      ['constraints', shape.constraints],
      ...Object.entries('figures' in timing ? timing.figures : {}),
      ...phases.map((phase) => [
        `${phase.name.replace('cuzk.gpu.', '')}Ms`,
        fourDigits(phase.durationMs),
      ]),
    ]),
    checked: `${proofs.length} proofs by core's verifier`,
    passed: proofs.every(({ proof }) => verifyProof(key, publicInputs, proof)),
  };
}

/** The first call compiles. */
async function timeSecond(
  context: GpuContext,
  work: () => Promise<void>,
  goalSeconds: number | undefined,
): Promise<ScaledTiming<void> & { readonly repeats: number }> {
  await work();
  return { ...(await timeScaled(context, work, goalSeconds)), repeats: 1 };
}
