import { g1 } from '@cuzk/core/curve/g1';
import { g2 } from '@cuzk/core/curve/g2';
import { isInG1, isInG2 } from '@cuzk/core/curve/noble-points';
import type { G1Affine, G2Affine } from '@cuzk/core/curve/points';
import { CuzkError } from '@cuzk/core/errors';
import {
  addH,
  type Blinding,
  blindQueries,
  type ProofWithoutH,
  type QuerySums,
} from '@cuzk/core/groth16/assemble';
import type { Proof } from '@cuzk/core/groth16/types';
import type { CompactWitness } from '@cuzk/core/r1cs/compact-witness';
import type { GpuContext } from '../device/context.ts';
import { watched } from '../device/device-faults.ts';
import { runTogether } from '../device/run-together.ts';
import { type DeviceWitness, uploadWitness } from '../r1cs/device-witness.ts';
import { countUnsatisfiedRows } from '../r1cs/r1cs-eval.ts';
import type { ProvingCircuit } from './proving-circuit.ts';
import { type PhaseRecorder, type ProvingPhase, recordPhases } from './proving-phases.ts';
import { type Proving, sumH, sumOthers } from './query-sums.ts';

export type { ProvingPhase } from './proving-phases.ts';

export interface ProveOptions {
  readonly signal?: AbortSignal;
  /** Compare every row with C·w first; an unsatisfied witness is then an error instead of a bad proof. */
  readonly checkWitness: boolean;
  /** The witness is on the device: its host memory and file may go. */
  readonly onUploaded?: () => void;
  /** Called at the start of each phase, for progress; on hardware several run at once. */
  readonly onPhase?: (name: string) => void;
  /** Unix time in ms; defaults to the host's clock. */
  readonly nowMs?: () => number;
}

export interface PartitionProof {
  readonly proof: Proof;
  readonly phases: readonly ProvingPhase[];
  /** The query sums before blinding, for comparison with other provers. They must not leave the process. */
  readonly sums: QuerySums;
}

/** A witness that lies on the device, for the circuit it was uploaded for. */
export interface UploadedPartition {
  readonly witness: DeviceWitness;
  /** Gives the device memory back; provePartition does it itself. */
  close(): void;
}

/**
 * Puts a witness on the device while another one is proved, so that the next proof starts without it. The host memory
 * of the witness may go when this has settled. What the device refuses to it fails it alone, and not the proof that is
 * under way; nor does it hear of what that one is refused. Throws CuzkError WITNESS_MALFORMED, GPU_OUT_OF_MEMORY.
 */
export async function uploadPartition(
  context: GpuContext,
  circuit: Pick<ProvingCircuit, 'shape' | 'deviceShape'>,
  witness: CompactWitness,
): Promise<UploadedPartition> {
  requireCircuit(circuit, witness);
  const { value: device, accepted } = watched(context.device, () =>
    uploadWitness(context, circuit.deviceShape, witness),
  );
  try {
    await accepted;
  } catch (error) {
    device.close();
    // there is nothing behind its buffers, and no proof may get them
    context.buffers.trim();
    throw error;
  }
  return { witness: device, close: device.close };
}

/**
 * One Groth16 proof (spec §4.3) of a witness of a loaded circuit. Its points are checked to be of the
 * curves and subgroups; whether it verifies is the caller's to ask of core's verifier. One proof at a time: the clock
 * of the device is shared. Throws CuzkError WITNESS_MALFORMED, WITNESS_UNSATISFIED (with checkWitness), CANCELLED,
 * PROOF_SELF_CHECK_FAILED.
 */
export async function provePartition(
  context: GpuContext,
  circuit: ProvingCircuit,
  witness: CompactWitness | UploadedPartition,
  blinding: Blinding,
  options: ProveOptions,
): Promise<PartitionProof> {
  if (!('close' in witness)) requireCircuit(circuit, witness);
  await context.timer.collect();
  const recorder = withProgress(recordPhases(context, options.nowMs ?? Date.now), options.onPhase);
  const { proof, sums } = await recorder.run('cuzk.gpu.total', [], async () => {
    const uploaded =
      'close' in witness
        ? witness
        : await recorder.run(
            'cuzk.gpu.upload',
            [],
            () => uploadPartition(context, circuit, witness),
            'cuzk.gpu.total',
          );
    try {
      options.onUploaded?.();
      return await prove(
        { context, circuit, witness: uploaded.witness, recorder },
        blinding,
        options,
      );
    } finally {
      uploaded.close();
    }
  });
  return { proof, sums, phases: await recorder.finish() };
}

function requireCircuit({ shape }: Pick<ProvingCircuit, 'shape'>, witness: CompactWitness): void {
  if (witness.circuitId === shape.circuitId && witness.shapeDigest === shape.shapeDigest) return;
  throw new CuzkError('WITNESS_MALFORMED', 'the witness belongs to another circuit', {
    expected: `circuit ${shape.circuitId}, shape ${shape.shapeDigest}`,
    found: `circuit ${witness.circuitId}, shape ${witness.shapeDigest}`,
  });
}

/** A device that miscomputes gives points off the curve or outside the subgroup: an error here, not a bad proof. */
export function requireInSubgroup(inSubgroup: boolean): void {
  if (inSubgroup) return;
  throw new CuzkError(
    'PROOF_SELF_CHECK_FAILED',
    'the device gave points that are not in the groups',
    {
      expected: 'finite points of the curves, in the subgroups of order r',
      found: 'another point',
      action: 'run the self-test of this GPU',
    },
  );
}
export const isFiniteG1 = (p: G1Affine): boolean => p !== null && g1.isOnCurve(p) && isInG1(p);
export const isFiniteG2 = (p: G2Affine): boolean => p !== null && g2.isOnCurve(p) && isInG2(p);

function withProgress(recorder: PhaseRecorder, onPhase: ProveOptions['onPhase']): PhaseRecorder {
  return {
    run: (name, labels, work, parent) => {
      onPhase?.(name);
      return recorder.run(name, labels, work, parent);
    },
    finish: () => recorder.finish(),
  };
}

/**
 * On hardware the sums run side by side: each needs only the witness, and where one waits for the host the others keep
 * the device busy. Everything that does not need h, the longest, is ready before it.
 */
async function prove(
  proving: Proving,
  blinding: Blinding,
  options: ProveOptions,
): Promise<{ proof: Proof; sums: QuerySums }> {
  const sideBySide = !proving.context.traits.software;
  const { h, others } = await runTogether<{
    check: undefined;
    others: { sums: Omit<QuerySums, 'h'>; blinded: ProofWithoutH };
    h: G1Affine;
  }>(
    {
      check: async (signal) => {
        if (options.checkWitness) await checkWitness(proving, signal);
        return undefined;
      },
      others: async (signal) => {
        const sums = await sumOthers(proving, { sideBySide, signal });
        const blinded = blindQueries(proving.circuit.vk, sums, blinding);
        requireInSubgroup(isFiniteG1(blinded.a) && isFiniteG2(blinded.b));
        return { sums, blinded };
      },
      h: (signal) => sumH(proving, signal),
    },
    { sideBySide, signal: options.signal },
  );
  const proof = addH(others.blinded, h);
  requireInSubgroup(isFiniteG1(proof.c));
  return { proof, sums: { ...others.sums, h } };
}

/** Throws CuzkError WITNESS_UNSATISFIED where a row does not hold, CANCELLED. */
export async function checkWitness(
  {
    context,
    circuit,
    witness,
    recorder,
  }: Omit<Proving, 'circuit'> & { readonly circuit: Pick<ProvingCircuit, 'deviceShape'> },
  signal: AbortSignal,
): Promise<void> {
  const { count, first } = await recorder.run(
    'cuzk.gpu.check_witness',
    ['r1cs_check'],
    () => countUnsatisfiedRows(context, circuit.deviceShape, witness, signal),
    'cuzk.gpu.total',
  );
  if (count === 0) return;
  throw new CuzkError('WITNESS_UNSATISFIED', `the witness breaks ${count} rows of the circuit`, {
    expected: 'A·w ∘ B·w = C·w in every row',
    found: `${count} rows that differ, the first is row ${first}`,
    action: 'make the witness again; if it happens again, this is a fault of synthesis',
  });
}
