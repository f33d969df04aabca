import { g1Sum, g2Sum } from '@cuzk/core/curve/msm';
import type { G1Affine } from '@cuzk/core/curve/points';
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
import { sumSelected } from './sum-selected.ts';

export type { ProvingPhase } from './proving-phases.ts';

export interface ProveOptions {
  readonly signal?: AbortSignal;
  /** Compare every row with C·w first; an unsatisfied witness is then an error instead of a bad proof. */
  readonly checkWitness: boolean;
  /** The witness is on the device: its host memory and file may go. */
  readonly onUploaded?: () => void;
  /** Called at the start of each phase, for progress. */
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

/**
 * One Groth16 proof (spec §4.3) of a witness of a loaded circuit. The result is decoded again, which checks curve
 * and subgroup; whether it verifies is the caller's to ask of core's verifier. Throws CuzkError WITNESS_MALFORMED,
 * WITNESS_UNSATISFIED (with checkWitness), CANCELLED, PROOF_SELF_CHECK_FAILED.
 */
export async function provePartition(
  context: GpuContext,
  circuit: ProvingCircuit,
  witness: CompactWitness,
  blinding: Blinding,
  options: ProveOptions,
): Promise<PartitionProof> {
  requireCircuit(circuit, witness);
  await context.timer.collect();
  const recorder = withProgress(recordPhases(context, options.nowMs ?? Date.now), options.onPhase);
  const { proof, results } = await recorder.run('cuzk.gpu.total', [], async () => {
    const device = await recorder.run(
      'cuzk.gpu.upload',
      [],
      async () => {
        const uploaded = uploadWitness(context, circuit.deviceShape, witness);
        await context.device.queue.onSubmittedWorkDone();
        return uploaded;
      },
      'cuzk.gpu.total',
    );
    try {
      options.onUploaded?.();
      if (options.checkWitness)
        await checkWitness(context, circuit, device, recorder, options.signal);
      const results = await computeMsms(context, circuit, device, recorder, options.signal);
      return { results, proof: requireInSubgroup(assembleProof(circuit.vk, results, blinding)) };
    } finally {
      device.close();
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
  signal: AbortSignal | undefined,
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

async function computeMsms(
  context: GpuContext,
  circuit: ProvingCircuit,
  witness: DeviceWitness,
  recorder: PhaseRecorder,
  signal: AbortSignal | undefined,
): Promise<QuerySums> {
  const { srs, deviceShape, quotient } = circuit;
  const run = (phase: string) => (signal === undefined ? { phase } : { phase, signal });
  const total = 'cuzk.gpu.total';
  const h = await recorder.run(
    'cuzk.gpu.ntt_msm_h',
    ['r1cs_eval', 'ntt', 'msm_h'],
    async () => {
      const inner = 'cuzk.gpu.ntt_msm_h';
      const scalars = await recorder.run(
        'cuzk.gpu.quotient',
        ['r1cs_eval', 'ntt'],
        () => quotient.compute(deviceShape, witness, signal),
        inner,
      );
      try {
        const segments = {
          count: scalars.length,
          segmentScalars: scalars.segmentLength,
          segments: scalars.segments,
        };
        return await recorder.run(
          'cuzk.gpu.msm_h',
          ['msm_h'],
          () => msm(context, srs.h, segments, run('msm_h')),
          inner,
        );
      } finally {
        giveFrVector(context, scalars);
      }
    },
    total,
  );
  const [lBits, aBits, bG1Bits] = await recorder.run(
    'cuzk.gpu.batch_add',
    ['batch_add'],
    async () => {
      const sums: G1Affine[] = [];
      for (const query of [srs.l, srs.a, srs.bG1]) {
        sums.push(
          ...(await sumSelected(context, [query.selected], witness.bits, run('batch_add'))),
        );
      }
      return sums;
    },
    total,
  );
  const tail: ScalarSegments = {
    count: srs.tailCount,
    segmentScalars: srs.tailCount,
    segments: [witness.values],
  };
  const [lTail, aTail, bG1Tail] = await recorder.run(
    'cuzk.gpu.tail_msm',
    ['tail_msm'],
    () => msmShared(context, [srs.l.tail, srs.a.tail, srs.bG1.tail], tail, run('tail_msm')),
    total,
  );
  const bG2 = await recorder.run(
    'cuzk.gpu.b_g2_msm',
    ['b_g2_msm'],
    async () => [
      ...(await sumSelected(context, [srs.bG2.selected], witness.bits, run('b_g2_msm'))),
      await msm(context, srs.bG2.tail, tail, run('b_g2_msm')),
    ],
    total,
  );
  return {
    h,
    l: g1Sum([lBits, lTail]),
    a: g1Sum([aBits, aTail]),
    bG1: g1Sum([bG1Bits, bG1Tail]),
    bG2: g2Sum(bG2),
  };
}
