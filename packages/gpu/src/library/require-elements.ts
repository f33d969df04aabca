import { FR_BYTES, FR_MODULUS } from '@cuzk/core/field/fr';

const TOP_WORD = Number(FR_MODULUS >> 224n);
const WORDS = 8;

/** Throws RangeError unless `bytes` are bytes, 32 for each element; returns how many elements they are. */
export function requireWholeElements(name: string, bytes: Uint8Array): number {
  if (bytes.BYTES_PER_ELEMENT !== 1) throw new RangeError(`${name}: expected a Uint8Array`);
  if (bytes.length % FR_BYTES !== 0) {
    throw new RangeError(`${name}: expected a multiple of ${FR_BYTES} bytes, got ${bytes.length}`);
  }
  return bytes.length / FR_BYTES;
}

/** As requireWholeElements, and unless they are little-endian and below r. On the device: requireBelowR. */
export function requireElements(name: string, bytes: Uint8Array): void {
  requireWholeElements(name, bytes);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; at < bytes.length; at += FR_BYTES) {
    const top = view.getUint32(at + FR_BYTES - 4, true);
    if (top < TOP_WORD) continue;
    // rare enough for bigints
    let value = 0n;
    for (let k = WORDS - 1; k >= 0; k--) {
      value = (value << 32n) | BigInt(view.getUint32(at + 4 * k, true));
    }
    if (value >= FR_MODULUS) {
      throw new RangeError(`${name}: expected elements below r, element ${at / FR_BYTES} is not`);
    }
  }
}
