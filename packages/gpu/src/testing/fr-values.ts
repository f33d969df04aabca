import { FR_BYTES, FR_MODULUS } from '@cuzk/core/field/fr';
import { seededArray } from '../field/seeded-words.ts';

/** Canonical little-endian bytes of `count` seeded elements (the top word is kept below that of r). */
export function seededElements(seed: number, count: number): Uint8Array {
  const words = seededArray(seed, 8 * count);
  for (let i = 7; i < words.length; i += 8) words[i] %= 0x73eda753;
  return new Uint8Array(words.buffer);
}

/** Values of concatenated little-endian elements. */
export function elementValues(bytes: Uint8Array): bigint[] {
  const words = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4);
  const values: bigint[] = [];
  for (let i = 0; i < words.length; i += 8) {
    let value = 0n;
    for (let k = 7; k >= 0; k--) value = (value << 32n) | BigInt(words[i + k]);
    values.push(value);
  }
  return values;
}

/** Canonical little-endian bytes of values, any integers. */
export function elementBytes(values: readonly bigint[]): Uint8Array {
  const words = new Uint32Array((FR_BYTES / 4) * values.length);
  values.forEach((value, i) => {
    let rest = ((value % FR_MODULUS) + FR_MODULUS) % FR_MODULUS;
    for (let k = 0; k < 8; k++) {
      words[8 * i + k] = Number(rest & 0xffffffffn);
      rest >>= 32n;
    }
  });
  return new Uint8Array(words.buffer);
}
