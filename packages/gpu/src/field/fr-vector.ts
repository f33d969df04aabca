import { FR_BYTES } from '@cuzk/core/field/fr';
import type { BufferClass } from '../device/buffer-pool.ts';
import { groupsFor, openCommands, readBuffer } from '../device/commands.ts';
import type { DeviceTraits, GpuContext } from '../device/context.ts';

/** No segment is larger: 2^26 elements of 32 bytes are 4 bytes over the binding limit of NVIDIA's driver. */
const LARGEST_SEGMENT = 2 ** 25;
/** Elements canonicalised and read back at once. */
const DOWNLOAD_CHUNK = 2 ** 20;
const UPLOAD_CHUNK_BYTES = 2 ** 26;
const WORKGROUP = 64;

/**
 * n elements of Fr in device memory, 32 bytes each, plain values (not Montgomery) in the stored form of
 * field-variants.ts. Element i is element i mod segmentLength of segment ⌊i / segmentLength⌋.
 */
export interface FrVector {
  readonly length: number;
  /** A power of two; every segment but the last has this many elements. */
  readonly segmentLength: number;
  readonly segments: readonly GPUBuffer[];
}

/** The largest power of two of elements that one binding holds. */
export function frSegmentLength(
  traits: Pick<DeviceTraits, 'maxBindingBytes' | 'maxBufferBytes'>,
): number {
  const elements = Math.min(traits.maxBindingBytes, traits.maxBufferBytes) / FR_BYTES;
  return Math.min(LARGEST_SEGMENT, 2 ** Math.floor(Math.log2(elements)));
}

/** A vector with undefined contents. `segmentLength` (a power of two) may be smaller than the device allows. */
export function takeFrVector(
  context: GpuContext,
  kind: BufferClass,
  length: number,
  label: string,
  segmentLength = frSegmentLength(context.traits),
): FrVector {
  if (!Number.isInteger(Math.log2(segmentLength))) {
    throw new RangeError(`segmentLength: expected a power of two, got ${segmentLength}`);
  }
  const segments: GPUBuffer[] = [];
  for (let start = 0; start < length; start += segmentLength) {
    const elements = Math.min(segmentLength, length - start);
    segments.push(context.buffers.take(kind, elements * FR_BYTES, `${label} ${segments.length}`));
  }
  return { length, segmentLength, segments };
}

/** Returns the buffers of a vector to the pool. */
export function giveFrVector(context: GpuContext, vector: FrVector): void {
  for (const segment of vector.segments) context.buffers.give(segment);
}

/** The parts of [start, start + count) that lie in one segment each. */
export function* segmentRanges(
  vector: FrVector,
  start = 0,
  count = vector.length - start,
): Generator<{ segment: GPUBuffer; index: number; offset: number; first: number; count: number }> {
  if (start < 0 || count < 0 || start + count > vector.length) {
    throw new RangeError(`range ${start} + ${count} is outside a vector of ${vector.length}`);
  }
  for (let at = start; at < start + count; ) {
    const index = Math.floor(at / vector.segmentLength);
    const offset = at - index * vector.segmentLength;
    const part = Math.min(vector.segmentLength - offset, start + count - at);
    yield { segment: vector.segments[index], index, offset, first: at, count: part };
    at += part;
  }
}

/** How many elements these bytes are. Throws RangeError where they are not whole ones. */
export function elementCount(elements: Uint8Array): number {
  if (elements.byteLength % FR_BYTES !== 0) {
    throw new RangeError(
      `elements: expected a multiple of ${FR_BYTES} bytes, got ${elements.byteLength}`,
    );
  }
  return elements.byteLength / FR_BYTES;
}

/** Writes canonical little-endian elements (32 bytes each, concatenated) from element `start` on. */
export function uploadFr(
  context: GpuContext,
  vector: FrVector,
  elements: Uint8Array,
  start = 0,
): void {
  for (const part of segmentRanges(vector, start, elementCount(elements))) {
    const from = (part.first - start) * FR_BYTES;
    for (let done = 0; done < part.count * FR_BYTES; done += UPLOAD_CHUNK_BYTES) {
      const bytes = Math.min(UPLOAD_CHUNK_BYTES, part.count * FR_BYTES - done);
      context.device.queue.writeBuffer(
        part.segment,
        part.offset * FR_BYTES + done,
        elements,
        from + done,
        bytes,
      );
    }
  }
}

/** Canonical little-endian bytes of elements [start, start + count). Canonicalised on the device. */
export async function downloadFr(
  context: GpuContext,
  vector: FrVector,
  start = 0,
  count = vector.length - start,
): Promise<Uint8Array> {
  const kernel = await context.kernels.get({
    file: 'field/canon-fr.wgsl',
    bindings: 'rwu',
    workgroupSize: WORKGROUP,
  });
  const result = new Uint8Array(count * FR_BYTES);
  const scratch = context.buffers.take(
    'scratch',
    Math.min(count, DOWNLOAD_CHUNK) * FR_BYTES,
    'canonical elements',
  );
  const commands = openCommands(context);
  try {
    for (const part of segmentRanges(vector, start, count)) {
      for (let done = 0; done < part.count; done += DOWNLOAD_CHUNK) {
        const elements = Math.min(DOWNLOAD_CHUNK, part.count - done);
        commands.dispatch(kernel, [part.segment, scratch], groupsFor(elements, WORKGROUP), [
          elements,
          part.offset + done,
          0,
          0,
        ]);
        await commands.submit('download');
        const bytes = await readBuffer(context, scratch, 0, elements * FR_BYTES);
        result.set(new Uint8Array(bytes), (part.first - start + done) * FR_BYTES);
      }
    }
    return result;
  } finally {
    context.buffers.give(scratch);
  }
}
