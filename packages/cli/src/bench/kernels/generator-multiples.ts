import {
  type AffineOf,
  allocatePoints,
  type CurveGroup,
  type PointSegments,
  releaseSegments,
} from '@cuzk/gpu/curve/point-segments';
import type { GpuContext } from '@cuzk/gpu/device/context';
import { openFixedBase } from '@cuzk/gpu/msm/fixed-base';

const PIECE = 2 ** 22;
const run = { phase: 'bases' };

/** Calls `use` with (i + 1)·G for i below `count`, and gives their buffers back. */
export async function withMultiples<G extends CurveGroup>(
  context: GpuContext,
  group: G,
  count: number,
  use: (points: PointSegments<G>) => Promise<void>,
): Promise<void> {
  const points = await generatorMultiples(context, group, count);
  try {
    await use(points);
  } finally {
    releaseSegments(context, points);
    context.buffers.trim();
  }
}

/** (i + 1)·G for i below `count`: different points whose every weighted sum is one multiple of G. */
async function generatorMultiples<G extends CurveGroup>(
  context: GpuContext,
  group: G,
  count: number,
): Promise<PointSegments<G>> {
  const points = allocatePoints(context, group, count, 'multiples of the generator');
  const base = await openFixedBase(context, group, count, run);
  const length = Math.min(PIECE, count);
  const words = new Uint32Array(8 * length);
  const scalars = context.buffers.take('scratch', words.byteLength, 'multiples');
  try {
    for (let first = 0; first < count; first += length) {
      for (let i = 0; i < length; i++) words[8 * i] = first + i + 1;
      context.device.queue.writeBuffer(scalars, 0, words);
      const piece = Math.min(length, count - first);
      await base.multiply({ count: piece, segmentScalars: length, segments: [scalars] }, run, {
        points,
        first,
      });
    }
    return points;
  } catch (error) {
    releaseSegments(context, points);
    throw error;
  } finally {
    context.buffers.drop(scalars);
    base.close();
    context.buffers.trim();
  }
}

/** The first `count` points of an array; its buffers stay those of the array. */
export const firstPoints = <G extends CurveGroup>(
  points: PointSegments<G>,
  count: number,
): PointSegments<G> => ({
  ...points,
  count,
  segments: points.segments.slice(0, Math.ceil(count / points.segmentPoints)),
});

/** True where both are the same point; null is infinity. */
export function samePoint(x: AffineOf<CurveGroup>, y: AffineOf<CurveGroup>): boolean {
  const text = (point: unknown): string =>
    JSON.stringify(point, (_, value) => (typeof value === 'bigint' ? value.toString(16) : value));
  return text(x) === text(y);
}
