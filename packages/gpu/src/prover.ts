import { g1Sum, g2Sum } from '@cuzk/core/curve/msm';
import type { G1Affine, G2Affine } from '@cuzk/core/curve/points';
import { CuzkError } from '@cuzk/core/errors';
import { assembleProof, type Blinding, type QuerySums } from '@cuzk/core/groth16/assemble';
import { decodeProof, encodeProof } from '@cuzk/core/groth16/proof';
import type { Proof } from '@cuzk/core/groth16/types';
import type { CompactWitness } from '@cuzk/core/r1cs/compact-witness';
import type { GpuContext } from './context.ts';
import { giveFrVector } from './fr-vector.ts';
import { msm, msmShared } from './msm.ts';
import type { ScalarSegments } from './point-segments.ts';
import type { ProvingCircuit } from './proving-circuit.ts';
import { type PhaseRecorder, type ProvingPhase, recordPhases } from './proving-phases.ts';
import { countUnsatisfiedRows, type DeviceWitness, uploadWitness } from './r1cs-eval.ts';
import { type Pieces, runTogether } from './run-together.ts';
import { sumSelected } from './sum-selected.ts';

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
 * of the witness may go when this returns. Throws CuzkError WITNESS_MALFORMED.
 */
export function uploadPartition(
  context: GpuContext,
  circuit: ProvingCircuit,
  witness: CompactWitness,
): UploadedPartition {
  requireCircuit(circuit, witness);
  const device = uploadWitness(context, circuit.deviceShape, witness);
  return { witness: device, close: device.close };
}

/**
 * One Groth16 proof (spec §4.3) of a witness of a loaded circuit. The result is decoded again, which checks curve
 * and subgroup; whether it verifies is the caller's to ask of core's verifier. One proof at a time: the clock of the
 * device is shared. Throws CuzkError WITNESS_MALFORMED, WITNESS_UNSATISFIED (with checkWitness), CANCELLED,
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
  const { proof, results } = await recorder.run('cuzk.gpu.total', [], async () => {
    const uploaded =
      'close' in witness
        ? witness
        : await recorder.run(
            'cuzk.gpu.upload',
            [],
            async () => uploadPartition(context, circuit, witness),
            'cuzk.gpu.total',
          );
    try {
      options.onUploaded?.();
      const results = await sumQueries(context, circuit, uploaded.witness, recorder, options);
      return { results, proof: requireInSubgroup(assembleProof(circuit.vk, results, blinding)) };
    } finally {
      uploaded.close();
    }
  });
  return { proof, sums: results, phases: await recorder.finish() };
}

function requireCircuit({ shape }: ProvingCircuit, witness: CompactWitness): void {
  if (witness.circuitId === shape.circuitId && witness.shapeDigest === shape.shapeDigest) return;
  throw new CuzkError('WITNESS_MALFORMED', 'the witness belongs to another circuit', {
    expected: `circuit ${shape.circuitId}, shape ${shape.shapeDigest}`,
    found: `circuit ${witness.circuitId}, shape ${witness.shapeDigest}`,
  });
}

/** A device that miscomputes gives points off the curve or outside the subgroup: an error here, not a bad proof. */
function requireInSubgroup(proof: Proof): Proof {
  try {
    return decodeProof(encodeProof(proof), 'proof made by this device');
  } catch (cause) {
    throw new CuzkError(
      'PROOF_SELF_CHECK_FAILED',
      'the device gave points that are not in the groups',
      { action: 'run the self-test of this GPU' },
      cause,
    );
  }
}

function withProgress(recorder: PhaseRecorder, onPhase: ProveOptions['onPhase']): PhaseRecorder {
  return {
    run: (name, labels, work, parent) => {
      onPhase?.(name);
      return recorder.run(name, labels, work, parent);
    },
    finish: () => recorder.finish(),
  };
}

async function checkWitness(
  context: GpuContext,
  { deviceShape }: ProvingCircuit,
  witness: DeviceWitness,
  recorder: PhaseRecorder,
  signal: AbortSignal,
): Promise<void> {
  const { count, first } = await recorder.run(
    'cuzk.gpu.check_witness',
    ['r1cs_check'],
    () => countUnsatisfiedRows(context, deviceShape, witness, signal),
    'cuzk.gpu.total',
  );
  if (count === 0) return;
  throw new CuzkError('WITNESS_UNSATISFIED', `the witness breaks ${count} rows of the circuit`, {
    expected: 'A·w ∘ B·w = C·w in every row',
    found: `${count} rows that differ, the first is row ${first}`,
    action: 'make the witness again; if it happens again, this is a fault of synthesis',
  });
}

interface PartialSums {
  readonly check: undefined;
  readonly tail: readonly [l: G1Affine, a: G1Affine, bG1: G1Affine];
  readonly bits: readonly [l: G1Affine, a: G1Affine, bG1: G1Affine];
  readonly bG2: readonly G2Affine[];
  readonly h: G1Affine;
}

/**
 * All query sums of a proof. On hardware the pieces run side by side: each needs only the witness, and where one waits
 * for the host the others keep the device busy. h, the longest, comes last.
 */
async function sumQueries(
  context: GpuContext,
  circuit: ProvingCircuit,
  witness: DeviceWitness,
  recorder: PhaseRecorder,
  options: ProveOptions,
): Promise<QuerySums> {
  const { srs } = circuit;
  const scalars: ScalarSegments = {
    count: srs.tailCount,
    segmentScalars: srs.tailCount,
    segments: [witness.values],
  };
  const phase = <T>(name: string, label: string, work: () => Promise<T>): Promise<T> =>
    recorder.run(`cuzk.gpu.${name}`, [label], work, 'cuzk.gpu.total');
  const pieces: Pieces<PartialSums> = {
    check: async (signal) => {
      if (options.checkWitness) await checkWitness(context, circuit, witness, recorder, signal);
      return undefined;
    },
    tail: (signal) =>
      phase('tail_msm', 'tail_msm', async () => {
        const run = { phase: 'tail_msm', signal };
        const [l, a] = await msmShared(context, [srs.l.tail, srs.a.tail], scalars, run);
        const bG1 = await msm(context, srs.bG1.tail, scalars, { ...run, sparse: true });
        return [l, a, bG1];
      }),
    bG2: (signal) =>
      phase('b_g2_msm', 'b_g2_msm', async () => {
        const run = { phase: 'b_g2_msm', signal };
        return [
          ...(await sumSelected(context, [srs.bG2.selected], witness.bits, run)),
          await msm(context, srs.bG2.tail, scalars, { ...run, sparse: true }),
        ];
      }),
    bits: (signal) =>
      phase('batch_add', 'batch_add', async () => {
        const run = { phase: 'batch_add', signal };
        const [l] = await sumSelected(context, [srs.l.selected], witness.bits, run);
        const [a] = await sumSelected(context, [srs.a.selected], witness.bits, run);
        const [bG1] = await sumSelected(context, [srs.bG1.selected], witness.bits, run);
        return [l, a, bG1];
      }),
    h: (signal) => sumH(context, circuit, witness, recorder, signal),
  };
  const { tail, bits, bG2, h } = await runTogether(pieces, {
    sideBySide: !context.traits.software,
    signal: options.signal,
  });
  return {
    h,
    l: g1Sum([bits[0], tail[0]]),
    a: g1Sum([bits[1], tail[1]]),
    bG1: g1Sum([bits[2], tail[2]]),
    bG2: g2Sum(bG2),
  };
}

/** Σ h_i·H_i: the quotient, then its MSM. */
function sumH(
  context: GpuContext,
  { srs, deviceShape, quotient }: ProvingCircuit,
  witness: DeviceWitness,
  recorder: PhaseRecorder,
  signal: AbortSignal,
): Promise<G1Affine> {
  const outer = 'cuzk.gpu.ntt_msm_h';
  const both = async (): Promise<G1Affine> => {
    const h = await recorder.run(
      'cuzk.gpu.quotient',
      ['r1cs_eval', 'ntt'],
      () => quotient.compute(deviceShape, witness, signal),
      outer,
    );
    try {
      const scalars = {
        count: h.length,
        segmentScalars: h.segmentLength,
        segments: h.segments,
      };
      return await recorder.run(
        'cuzk.gpu.msm_h',
        ['msm_h'],
        () => msm(context, srs.h, scalars, { phase: 'msm_h', signal }),
        outer,
      );
    } finally {
      giveFrVector(context, h);
    }
  };
  return recorder.run(outer, ['r1cs_eval', 'ntt', 'msm_h'], both, 'cuzk.gpu.total');
}
