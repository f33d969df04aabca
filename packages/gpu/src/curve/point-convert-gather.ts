import { groupsFor } from '../device/commands.ts';
import type { GpuContext } from '../device/context.ts';
import type { Kernel } from '../device/kernel.ts';
import { type CurveRun, openPacedCommands, type PacedCommands } from './curve-commands.ts';
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

/**
 * New points: target i is source indices[i], infinity where that is NO_POINT. The source stays as it is. Throws
 * CANCELLED.
 */
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
    // an empty source still has to write the infinities
    if (source.segments.length === 0)
      for (const segment of points.segments) commands.clear(segment);
    for (const [from, rows] of source.segments.entries()) {
      const first = from * source.segmentPoints;
      const part = { rows, first, count: pointsInSegment(source, from) };
      recordGather(commands, kernel, list, part, points);
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

/**
 * Records the gathering from a part of a source: target i becomes source point indices[i] where the part has it, and
 * infinity where that is NO_POINT. `kernel` is placeKernel's third.
 */
export function recordGather(
  commands: PacedCommands,
  kernel: Kernel,
  indices: GPUBuffer,
  part: { readonly rows: GPUBuffer; readonly first: number; readonly count: number },
  points: PointSegments,
): void {
  for (const [index, segment] of points.segments.entries()) {
    const target = index * points.segmentPoints;
    const count = pointsInSegment(points, index);
    commands.dispatch(
      kernel,
      [part.rows, indices, indices, segment],
      groupsFor(count, kernel.workgroupSize),
      [count, part.first, part.count, target, count, target, 0],
    );
  }
}
