import { FR_BYTES, frInvert, frMul, frPow, frSub } from '@cuzk/core/field/fr';
import {
  type AffineOf,
  allocatePoints,
  type CurveGroup,
  type PointSegments,
  releaseSegments,
  type ScalarSegments,
} from '@cuzk/gpu/curve/point-segments';
import type { GpuContext } from '@cuzk/gpu/device/context';
import { paceCommands } from '@cuzk/gpu/device/paced-commands';
import { frSegmentLength } from '@cuzk/gpu/field/fr-vector';
import { openFixedBase } from '@cuzk/gpu/msm/fixed-base';
import { openPowers } from '@cuzk/gpu/ntt/powers';

/**
 * Inputs of MSMs that are made on the device and whose sums are known in closed form: bases B^i·G and scalars S^i, so
 * that Σ S^i·B^i·G is one multiple of G. B and S are of no small order, so that digits are spread as random ones are.
 */
export const BASE = 0x2c9ad5e14b37f80691d2e35f6a0b7c48_d1e2f3a4b5c6978879605142332415n;
export const SCALAR = 0x1f83d9abfb41bd6b5be0cd19137e2179_cbbb9d5dc1059ed8629a292a367cd507n;

const PIECE = 2 ** 22;

/** Calls `use` with B^i·G for i below `count`, a power of two, and gives their buffers back. */
export async function withPowerBases<G extends CurveGroup>(
  context: GpuContext,
  group: G,
  count: number,
  use: (points: PointSegments<G>) => Promise<void>,
): Promise<void> {
  const points = await powerBases(context, group, count);
  try {
    await use(points);
  } finally {
    releaseSegments(context, points);
    context.buffers.trim();
  }
}

async function powerBases<G extends CurveGroup>(
  context: GpuContext,
  group: G,
  count: number,
): Promise<PointSegments<G>> {
  const run = { phase: 'bases' };
  const points = allocatePoints(context, group, count, 'powers times the generator');
  const powers = await openPowers(context, Math.log2(count), BASE, 1n);
  const base = await openFixedBase(context, group, count, run);
  const length = Math.min(PIECE, count);
  const exponents = context.buffers.take('scratch', FR_BYTES * length, 'powers');
  const piece: ScalarSegments = { count: length, segmentScalars: length, segments: [exponents] };
  try {
    const paced = paceCommands(context, run.phase);
    for (let first = 0; first < count; first += length) {
      await powers.fill(paced, { start: first, count: length, order: 'natural' }, exponents);
      await paced.send();
      await base.multiply(piece, run, { points, first });
    }
    return points;
  } catch (error) {
    releaseSegments(context, points);
    throw error;
  } finally {
    context.buffers.drop(exponents);
    base.close();
    powers.close();
    context.buffers.trim();
  }
}

/** S^i for i below `count`, a power of two, as canonical scalars. */
export async function withPowerScalars(
  context: GpuContext,
  count: number,
  use: (scalars: ScalarSegments) => Promise<void>,
): Promise<void> {
  const segmentScalars = Math.min(count, frSegmentLength(context.traits));
  const powers = await openPowers(context, Math.log2(count), SCALAR, 1n);
  const paced = paceCommands(context, 'scalars');
  const segments: GPUBuffer[] = [];
  try {
    for (let start = 0; start < count; start += segmentScalars) {
      const segment = context.buffers.take('scratch', FR_BYTES * segmentScalars, 'powers');
      segments.push(segment);
      await powers.fill(paced, { start, count: segmentScalars, order: 'natural' }, segment);
    }
    await paced.finish();
    await use({ count, segmentScalars, segments });
  } finally {
    for (const segment of segments) context.buffers.drop(segment);
    powers.close();
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

/** The first `count` scalars; the buffers stay those of the array. */
export const firstScalars = (scalars: ScalarSegments, count: number): ScalarSegments => ({
  ...scalars,
  count,
  segments: scalars.segments.slice(0, Math.ceil(count / scalars.segmentScalars)),
});

/** Σ q^i for i below `count`; q is not one. */
export const geometricSum = (q: bigint, count: number): bigint =>
  frMul(frSub(frPow(q, BigInt(count)), 1n), frInvert(frSub(q, 1n)));

/** True where both are the same point; null is infinity. */
export function samePoint(x: AffineOf<CurveGroup>, y: AffineOf<CurveGroup>): boolean {
  const text = (point: unknown): string =>
    JSON.stringify(point, (_, value) => (typeof value === 'bigint' ? value.toString(16) : value));
  return text(x) === text(y);
}
