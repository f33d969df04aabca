import { FR_BYTES, FR_MODULUS, frToBytes } from '../field/fr.ts';

const LARGEST = frToBytes(FR_MODULUS - 1n);

/** Whether 32 little-endian bytes are below the field order; the fast twin of frFromBytes !== undefined. */
export function isCanonicalFr(bytes: Uint8Array): boolean {
  for (let i = FR_BYTES - 1; i >= 0; i--) {
    if (bytes[i] !== LARGEST[i]) return bytes[i] < LARGEST[i];
  }
  return true;
}
