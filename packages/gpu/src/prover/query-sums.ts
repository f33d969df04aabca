import { g1Sum, g2Sum } from '@cuzk/core/curve/msm';
import type { G1Affine, G2Affine } from '@cuzk/core/curve/points';
import type { QuerySums } from '@cuzk/core/groth16/assemble';
import type { CurveRun } from '../curve/curve-commands.ts';
import type { ScalarSegments } from '../curve/point-segments.ts';
import type { GpuContext } from '../device/context.ts';
import { runTogether } from '../device/run-together.ts';
import { giveFrVector } from '../field/fr-vector.ts';
import { msm, msmShared } from '../msm/msm.ts';
import { sumSelected } from '../msm/sum-selected.ts';
import type { DeviceWitness } from '../r1cs/device-witness.ts';
import type { ProvingCircuit } from './proving-circuit.ts';
import type { PhaseRecorder } from './proving-phases.ts';

/** One proof on its way. */
export interface Proving {
  readonly context: GpuContext;
  readonly circuit: ProvingCircuit;
  readonly witness: DeviceWitness;
  readonly recorder: PhaseRecorder;
}

/** The query sums that need nothing but the witness: bits and tail of each. */
export async function sumOthers(
  { context, circuit, witness, recorder }: Proving,
  options: { readonly sideBySide: boolean; readonly signal: AbortSignal },
): Promise<Omit<QuerySums, 'h'>> {
  const { srs } = circuit;
  const scalars: ScalarSegments = {
    count: srs.tailCount,
    segmentScalars: srs.tailCount,
    segments: [witness.values],
  };
  const phase = <T>(
    name: string,
    label: string,
    signal: AbortSignal,
    work: (run: CurveRun) => Promise<T>,
  ): Promise<T> =>
    recorder.run(
      `cuzk.gpu.${name}`,
      [label],
      () => work({ phase: label, signal }),
      'cuzk.gpu.total',
    );
  const { tail, bits, bG2 } = await runTogether<{
    tail: readonly G1Affine[];
    bG2: readonly G2Affine[];
    bits: readonly G1Affine[];
  }>(
    {
      tail: (signal) =>
        phase('tail_msm', 'tail_msm', signal, async (run) => [
          ...(await msmShared(context, [srs.l.tail, srs.a.tail], scalars, run)),
          await msm(context, srs.bG1.tail, scalars, { ...run, sparse: true }),
        ]),
      bG2: (signal) =>
        phase('b_g2_msm', 'b_g2_msm', signal, async (run) => [
          ...(await sumSelected(context, [srs.bG2.selected], [witness.bits], run))[0],
          await msm(context, srs.bG2.tail, scalars, { ...run, sparse: true }),
        ]),
      bits: (signal) =>
        phase('batch_add', 'batch_add', signal, async (run) => {
          const arrays = [srs.l.selected, srs.a.selected, srs.bG1.selected];
          const [sums] = await sumSelected(context, arrays, [witness.bits], run);
          return sums;
        }),
    },
    options,
  );
  return {
    l: g1Sum([bits[0], tail[0]]),
    a: g1Sum([bits[1], tail[1]]),
    bG1: g1Sum([bits[2], tail[2]]),
    bG2: g2Sum(bG2),
  };
}

/** Σ h_i·H_i: the quotient, then its MSM. */
export function sumH(
  { context, circuit, witness, recorder }: Proving,
  signal: AbortSignal,
): Promise<G1Affine> {
  const { srs, deviceShape, quotient } = circuit;
  const outer = 'cuzk.gpu.ntt_msm_h';
  const both = async (): Promise<G1Affine> => {
    const { h, checked } = await recorder.run(
      'cuzk.gpu.quotient',
      ['r1cs_eval', 'ntt'],
      () => quotient.compute(deviceShape, witness, { signal }),
      outer,
    );
    try {
      const scalars = {
        count: h.length,
        segmentScalars: h.segmentLength,
        segments: h.segments,
      };
      const sum = await recorder.run(
        'cuzk.gpu.msm_h',
        ['msm_h'],
        () => msm(context, srs.h, scalars, { phase: 'msm_h', signal }),
        outer,
      );
      await checked;
      return sum;
    } finally {
      giveFrVector(context, h);
    }
  };
  return recorder.run(outer, ['r1cs_eval', 'ntt', 'msm_h'], both, 'cuzk.gpu.total');
}
