import { FR_BYTES } from '@cuzk/core/field/fr';

/** Throws RangeError unless `bytes` are bytes, 32 for each element; returns how many elements they are. */
export function requireWholeElements(name: string, bytes: Uint8Array): number {
  if (bytes.BYTES_PER_ELEMENT !== 1) throw new RangeError(`${name}: expected a Uint8Array`);
  if (bytes.length % FR_BYTES !== 0) {
    throw new RangeError(`${name}: expected a multiple of ${FR_BYTES} bytes, got ${bytes.length}`);
  }
  return bytes.length / FR_BYTES;
}
