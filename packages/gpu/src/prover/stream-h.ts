import { g1Sum } from '@cuzk/core/curve/msm';
import type { G1Affine } from '@cuzk/core/curve/points';
import type { CurveRun } from '../curve/curve-commands.ts';
import type { PointSegments } from '../curve/point-segments.ts';
import type { GpuContext } from '../device/context.ts';
import type { FrVector } from '../field/fr-vector.ts';
import { msm } from '../msm/msm.ts';
import { planMsm } from '../msm/msm-plan.ts';
import { besideStream } from './stream-plan.ts';
import type { StreamedCircuit } from './streamed-circuit.ts';

/**
 * Σ h_i·H_i: one MSM over the bases on the device, and one over every piece that passes. `h` has its coefficients in
 * the order of orderOfH, one more than there are bases (quotient.ts). Throws CuzkError PARAMS_MALFORMED, CANCELLED.
 */
export async function sumStreamedH(
  context: GpuContext,
  { plan, residentH, h: stream }: StreamedCircuit,
  h: FrVector,
  run: CurveRun,
): Promise<G1Affine> {
  const sumOf = async (
    points: PointSegments<'g1'>,
    skipped: number,
    each: CurveRun,
  ): Promise<G1Affine> => {
    const { count, segmentPoints } = points;
    if (count === 0) return null;
    const { msmEntries: maxEntries } = plan;
    return msm(
      context,
      points,
      { count, skipped, segmentScalars: h.segmentLength, segments: h.segments },
      { ...each, plan: planMsm(count, context.traits, 'g1', { maxEntries }, segmentPoints) },
    );
  };
  if (residentH.count === stream.count) return sumOf(residentH, 0, run);
  const beside = besideStream(context.traits, run);
  // the first piece is read while the resident points are added up
  const passing = stream.pieces(beside, { first: residentH.count / plan.piecePoints.g1 });
  const first = passing.next();
  first.catch(() => {});
  try {
    const sums = [await sumOf(residentH, 0, beside)];
    for (let piece = await first; piece.done !== true; piece = await passing.next()) {
      sums.push(await sumOf(piece.value.points, piece.value.firstPoint, beside));
    }
    return g1Sum(sums);
  } finally {
    await passing.return(undefined);
  }
}
