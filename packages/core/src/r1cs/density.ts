import { bitmapOf, placeBits } from './bitmap.ts';
import type { CircuitShape, ShapeSegment } from './shape.ts';

/** A static bitmap over the aux of one instance. */
export type SegmentBitmap = 'elementBitmap' | 'aDensity' | 'bDensity';

/**
 * A segment bitmap written out over all aux of the circuit: which aux are elements, or have a term in A or
 * in B (spec §4.3). Bit k of the result is aux k.
 */
export function expandBitmap(
  shape: Pick<CircuitShape, 'aux' | 'segments'>,
  which: SegmentBitmap,
): Uint32Array {
  const bitmap = bitmapOf(shape.aux);
  let at = 0;
  for (const segment of shape.segments) {
    for (let i = 0; i < segment.instances; i++, at += segment.aux) {
      placeBits(bitmap, at, segment[which], segment.aux);
    }
  }
  return bitmap;
}

/** Sum of a per-instance figure over all instances. */
export const sumOverInstances = (
  shape: Pick<CircuitShape, 'segments'>,
  figure: (segment: ShapeSegment) => number,
): number =>
  shape.segments.reduce((total, segment) => total + segment.instances * figure(segment), 0);
