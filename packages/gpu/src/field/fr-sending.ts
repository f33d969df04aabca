import { FR_BYTES } from '@cuzk/core/field/fr';
import type { GpuContext } from '../device/context.ts';
import { stageUpload } from '../device/staged-upload.ts';
import { elementCount, type FrVector, segmentRanges } from './fr-vector.ts';

/** Elements on their way into a vector. */
export interface FrSending {
  /** Settles once what is submitted from then on sees the elements below `end`. */
  readonly arrived: (end: number) => Promise<void>;
  /** Settles when the vector may be given back; never rejects. */
  readonly ended: Promise<void>;
}

/** As uploadFr, but returns while the elements are still on their way; they must not change before `ended`. */
export function sendFr(context: GpuContext, vector: FrVector, elements: Uint8Array): FrSending {
  const ranges = [...segmentRanges(vector, 0, elementCount(elements))];
  const targets = ranges.map(({ segment, offset, first, count }) => ({
    from: first * FR_BYTES,
    sizeBytes: count * FR_BYTES,
    buffer: segment,
    offset: offset * FR_BYTES,
  }));
  const { reached, ended } = stageUpload(context, elements, targets);
  return { arrived: (end) => reached(end * FR_BYTES), ended };
}
