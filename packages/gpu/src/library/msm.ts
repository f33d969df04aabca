import {
  type AffineOf,
  allocatePoints,
  type CurveGroup,
  type PointSegments,
  releaseSegments,
  writePoints,
} from '../curve/point-segments.ts';
import { sendFr } from '../field/fr-sending.ts';
import { giveFrVector, takeFrVector } from '../field/fr-vector.ts';
import { msm as msmOnDevice } from '../msm/msm.ts';
import type { Gpu } from './open.ts';
import { requireElements } from './require-elements.ts';

/** Points on the device, for any number of sums. */
export interface Bases<G extends CurveGroup = CurveGroup> {
  readonly points: PointSegments<G>;
  close(): void;
}

/** Puts affine points of the subgroup of order r on the device; null is infinity. */
export function openBases<G extends CurveGroup>(
  { context }: Gpu,
  group: G,
  points: readonly AffineOf<G>[],
): Bases<G> {
  const onDevice = allocatePoints(context, group, points.length, 'bases');
  writePoints(context, onDevice, 0, points);
  return { points: onDevice, close: () => releaseSegments(context, onDevice) };
}

/**
 * Σ scalars[i]·bases[i]; null is infinity. Scalars are 32 bytes each, little-endian, below r, one for each base. Throws
 * RangeError on others, CuzkError CANCELLED.
 */
export async function msm<G extends CurveGroup>(
  { context }: Gpu,
  { points }: Bases<G>,
  scalars: Uint8Array,
  options: { readonly signal?: AbortSignal } = {},
): Promise<AffineOf<G>> {
  requireElements('scalars', scalars);
  const vector = takeFrVector(context, 'scratch', scalars.length / 32, 'scalars');
  const sending = sendFr(context, vector, scalars);
  try {
    const { length: count, segmentLength: segmentScalars, segments } = vector;
    return await msmOnDevice(
      context,
      points,
      { count, segmentScalars, segments },
      { phase: 'msm', arrived: sending.arrived, ...options },
    );
  } finally {
    await sending.ended;
    giveFrVector(context, vector);
  }
}
