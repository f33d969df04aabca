import {
  type AffineOf,
  allocatePoints,
  type CurveGroup,
  type PointSegments,
  releaseSegments,
  writePoints,
} from '../curve/point-segments.ts';
import { deviceCall } from '../device/device-call.ts';
import { watched } from '../device/device-faults.ts';
import { submitted } from '../device/submitted.ts';
import { sendFr } from '../field/fr-sending.ts';
import { giveFrVector, takeFrVector } from '../field/fr-vector.ts';
import { requireBelowR } from '../field/require-below-r.ts';
import { msm as msmOnDevice } from '../msm/msm.ts';
import { keepBuffersFor } from './keep-buffers.ts';
import type { Gpu } from './open.ts';
import { requireWholeElements } from './require-elements.ts';

/** Points on the device, for any number of sums. */
export interface Bases<G extends CurveGroup = CurveGroup> {
  /** Throws RangeError once they are closed. */
  readonly points: PointSegments<G>;
  /**
   * Settles when the device has them. Rejects with CuzkError GPU_OUT_OF_MEMORY or INTERNAL, and so do sums with them.
   */
  readonly accepted: Promise<void>;
  /** Gives the memory back; once is enough. */
  close(): void;
}

/** Puts affine points of the subgroup of order r on the device; null is infinity. */
export function openBases<G extends CurveGroup>(
  { context }: Gpu,
  group: G,
  points: readonly AffineOf<G>[],
): Bases<G> {
  const { value: onDevice, accepted } = watched(context.device, () => {
    const allocated = allocatePoints(context, group, points.length, 'bases');
    try {
      writePoints(context, allocated, 0, points);
      return allocated;
    } catch (error) {
      releaseSegments(context, allocated);
      throw error;
    }
  });
  let open = true;
  const close = (): void => {
    if (open) releaseSegments(context, onDevice);
    open = false;
  };

  return {
    get points() {
      if (!open) throw new RangeError('bases: expected open ones, they are closed');
      return onDevice;
    },
    accepted,
    close,
  };
}

/**
 * Σ scalars[i]·bases[i]; null is infinity. Scalars are 32 bytes each, little-endian, below r, one for each base. Throws
 * RangeError on others and on closed bases, CuzkError CANCELLED, GPU_OUT_OF_MEMORY,
 * GPU_DEVICE_LOST.
 */
export async function msm<G extends CurveGroup>(
  { context }: Gpu,
  { points, accepted }: Omit<Bases<G>, 'close'>,
  scalars: Uint8Array,
  options: { readonly signal?: AbortSignal } = {},
): Promise<AffineOf<G>> {
  const count = requireWholeElements('scalars', scalars);
  return deviceCall(context, async () => {
    keepBuffersFor(context, `msm ${points.group} ${points.count}`);
    const vector = takeFrVector(context, 'scratch', count, 'scalars');
    const { segmentLength: segmentScalars, segments } = vector;
    const { arrived, ended } = sendFr(context, vector, scalars);
    // while sums are made, which come out wrong and do no harm where one is not below r
    const check = submitted(arrived(count).then(() => requireBelowR(context, 'scalars', vector)));
    try {
      await accepted;
      const sum = await msmOnDevice(
        context,
        points,
        { count, segmentScalars, segments },
        { phase: 'msm', arrived, ...options },
      );
      await check.result;
      return sum;
    } finally {
      await Promise.allSettled([ended, check.result]);
      giveFrVector(context, vector);
    }
  });
}
