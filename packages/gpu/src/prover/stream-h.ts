import { g1Sum } from '@cuzk/core/curve/msm';
import type { G1Affine } from '@cuzk/core/curve/points';
import { type CurveRun, openPacedCommands } from '../curve/curve-commands.ts';
import type { PointSegments } from '../curve/point-segments.ts';
import { groupsFor } from '../device/commands.ts';
import type { GpuContext } from '../device/context.ts';
import type { Kernel } from '../device/kernel.ts';
import { type FrVector, segmentRanges } from '../field/fr-vector.ts';
import { msm } from '../msm/msm.ts';
import { planMsm } from '../msm/msm-plan.ts';
import type { StreamedCircuit } from './streamed-circuit.ts';

const WORKGROUP = 64;
const FR_BYTES = 32;

/**
 * Σ h_i·H_i over pieces of the bases, those on the device first. `h` has its coefficients in bit-reversed order, one
 * more than there are bases (quotient.ts). Throws CuzkError PARAMS_MALFORMED, CANCELLED.
 */
export async function sumStreamedH(
  context: GpuContext,
  { plan, residentH, h: stream }: StreamedCircuit,
  h: FrVector,
  run: CurveRun,
): Promise<G1Affine> {
  const takeReversed = await context.kernels.get({
    file: 'msm/take-reversed.wgsl',
    bindings: 'rwu',
    workgroupSize: WORKGROUP,
  });
  const bytes = Math.min(plan.piecePoints.g1, stream.count) * FR_BYTES;
  const scalars = context.buffers.take('scratch', bytes, 'scalars of a piece');
  const sumPiece = async (points: PointSegments<'g1'>, firstPoint: number): Promise<G1Affine> => {
    const { count, segmentPoints } = points;
    const commands = openPacedCommands(context, run);
    recordTake(commands.dispatch, takeReversed, h, scalars, firstPoint, count);
    await commands.send();
    const { msmEntries: maxEntries } = plan;
    return msm(
      context,
      points,
      { count, segmentScalars: count, segments: [scalars] },
      {
        ...run,
        plan: planMsm(count, context.traits, 'g1', { maxEntries }, segmentPoints),
      },
    );
  };
  // the first of them is read while the resident ones are added up
  const passing = stream.pieces(run, { first: residentH.length });
  const first = passing.next();
  first.catch(() => {});
  const sums: G1Affine[] = [];
  try {
    for (const [i, points] of residentH.entries()) {
      sums.push(await sumPiece(points, i * plan.piecePoints.g1));
    }
    for (let piece = await first; piece.done !== true; piece = await passing.next()) {
      sums.push(await sumPiece(piece.value.points, piece.value.firstPoint));
    }
    return g1Sum(sums);
  } finally {
    await passing.return(undefined);
    context.buffers.give(scalars);
  }
}

/** Records the copying of coefficients first … first + count − 1 in natural order. */
function recordTake(
  dispatch: ReturnType<typeof openPacedCommands>['dispatch'],
  kernel: Kernel,
  h: FrVector,
  scalars: GPUBuffer,
  first: number,
  count: number,
): void {
  const logN = Math.log2(h.length);
  for (const part of segmentRanges(h)) {
    dispatch(kernel, [part.segment, scalars], groupsFor(count, WORKGROUP), [
      count,
      first,
      logN,
      part.first,
      part.count,
    ]);
  }
}
