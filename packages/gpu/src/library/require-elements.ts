import { FR_BYTES, FR_MODULUS } from '@cuzk/core/field/fr';

const TOP_WORD = Number(FR_MODULUS >> 224n);
const WORDS = 8;

/** Throws RangeError unless `bytes` are elements of 32 bytes, little-endian and below r. */
export function requireElements(name: string, bytes: Uint8Array): void {
  if (bytes.BYTES_PER_ELEMENT !== 1) throw new RangeError(`${name}: expected a Uint8Array`);
  if (bytes.length % FR_BYTES !== 0) {
    throw new RangeError(`${name}: expected a multiple of ${FR_BYTES} bytes, got ${bytes.length}`);
  }
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
