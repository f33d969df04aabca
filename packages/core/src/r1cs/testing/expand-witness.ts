import { hasBit } from '../bitmap.ts';
import type { CompactWitness } from '../compact-witness.ts';

/** The whole assignment of the aux, 32 bytes each, from a compact witness and its element positions. */
export function expandAux(
  { bitPlane, elements }: CompactWitness,
  elementBitmap: Uint32Array,
  aux: number,
): Uint8Array {
  const values = new Uint8Array(32 * aux);
  const elementBytes = new Uint8Array(elements.buffer, elements.byteOffset, elements.byteLength);
  let element = 0;
  for (let j = 0; j < aux; j++) {
    if (hasBit(elementBitmap, j)) {
      values.set(elementBytes.subarray(32 * element, 32 * element + 32), 32 * j);
      element++;
    } else {
      values[32 * j] = hasBit(bitPlane, j) ? 1 : 0;
    }
  }
  return values;
}
