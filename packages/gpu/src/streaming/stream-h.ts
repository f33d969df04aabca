import { g1Sum } from '@cuzk/core/curve/msm';
import type { G1Affine } from '@cuzk/core/curve/points';
import type { CurveRun } from '../curve/curve-commands.ts';
import type { PointSegments } from '../curve/point-segments.ts';
import type { GpuContext } from '../device/context.ts';
import { type Submitted, submitted } from '../device/submitted.ts';
import type { FrVector } from '../field/fr-vector.ts';
import { submitMsm } from '../msm/msm.ts';
import { planMsm } from '../msm/msm-plan.ts';
import { besideStream } from './stream-plan.ts';
import type { StreamedCircuit } from './streamed-circuit.ts';

/**
 * Σ h_i·H_i: one MSM over the bases on the device, and one over every piece that passes, with `msmEntries` sorted at
 * once. `h` has its coefficients in the order of orderOfH, one more than there are bases (quotient.ts). Resolves when
 * the work is submitted, which may use `h` until then. Throws CuzkError PARAMS_MALFORMED, CANCELLED.
 */
export async function submitStreamedH(
  context: GpuContext,
  { plan, residentH, h: stream }: StreamedCircuit,
  h: FrVector,
  { msmEntries: maxEntries, ...run }: CurveRun & { readonly msmEntries: number },
): Promise<Submitted<G1Affine>> {
  const sums: Promise<G1Affine[]>[] = [];
  const submit = async (
    points: PointSegments<'g1'>,
    skipped: number,
    each: CurveRun,
  ): Promise<void> => {
    const { count, segmentPoints } = points;
    if (count === 0) return;
    const { result } = await submitMsm(
      context,
      [points],
      { count, skipped, segmentScalars: h.segmentLength, segments: h.segments },
      { ...each, plan: planMsm(count, context.traits, 'g1', { maxEntries }, segmentPoints) },
    );
    sums.push(result);
    // memory that is destroyed for the next one comes back when this one is done
    if (!plan.reuse) await result;
  };
  const sumOfAll = (): Submitted<G1Affine> =>
    submitted(Promise.all(sums).then((all) => g1Sum(all.flat())));
  if (residentH.count === stream.count) {
    await submit(residentH, 0, run);
    return sumOfAll();
  }
  const beside = besideStream(context.traits, run);
  // the first piece is read while the resident points are added up
  const passing = stream.pieces(beside, { first: residentH.count / plan.piecePoints.g1 });
  const first = passing.next();
  first.catch(() => {});
  try {
    await submit(residentH, 0, beside);
    for (let piece = await first; piece.done !== true; piece = await passing.next()) {
      await submit(piece.value.points, piece.value.firstPoint, beside);
    }
    return sumOfAll();
  } finally {
    await passing.return(undefined);
  }
}
