import { groupsFor } from '../device/commands.ts';
import type { GpuContext } from '../device/context.ts';
import { type CurveRun, openPacedCommands } from './curve-commands.ts';
import { placeKernel } from './point-convert-place.ts';
import {
  allocatePoints,
  type CurveGroup,
  type PointSegments,
  pointsInSegment,
  releaseSegments,
} from './point-segments.ts';

/** Index that stands for infinity. */
export const NO_POINT = 0xffffffff;

/** New points: target i is source indices[i], infinity where that is NO_POINT. The source stays as it is. Throws CANCELLED. */
export async function gatherPoints<G extends CurveGroup>(
  context: GpuContext,
  source: PointSegments<G>,
  indices: Uint32Array,
  run: CurveRun,
): Promise<PointSegments<G>> {
  const outside = indices.find((index) => index !== NO_POINT && index >= source.count);
  if (outside !== undefined) {
    throw new RangeError(`${run.phase}: expected indices below ${source.count}, got ${outside}`);
  }
  const kernel = await placeKernel(context, source.group, 2);
  const points = allocatePoints(context, source.group, indices.length, run.phase);
  const list = context.buffers.take('staging', indices.byteLength, 'gather indices');
  context.device.queue.writeBuffer(
    list,
    0,
    indices.buffer as ArrayBuffer,
    indices.byteOffset,
    indices.byteLength,
  );
  try {
    const commands = openPacedCommands(context, run);
    for (const [index, segment] of points.segments.entries()) {
      const target = index * points.segmentPoints;
      const count = pointsInSegment(points, index);
      // an empty source still has to write the infinities
      if (source.segments.length === 0) commands.clear(segment);
      for (const [from, rows] of source.segments.entries()) {
        commands.dispatch(
          kernel,
          [rows, list, list, segment],
          groupsFor(count, kernel.workgroupSize),
          [
            count,
            from * source.segmentPoints,
            pointsInSegment(source, from),
            target,
            count,
            target,
            0,
          ],
        );
      }
    }
    await commands.flush();
    return points;
  } catch (error) {
    releaseSegments(context, points);
    throw error;
  } finally {
    context.buffers.give(list);
  }
}
