import { FR_BYTES } from '../field/fr.ts';
import type { PoseidonArity } from './poseidon-constants.ts';
import { poseidonMachine } from './poseidon-machine.ts';

/**
 * Poseidon (spec §6.14) of 2, 4, 8 or 11 little-endian canonical field elements of 32 bytes, as one such; in
 * WebAssembly, with the results of poseidonHash. Throws RangeError for other counts and lengths.
 */
export function poseidonBytes(preimage: readonly Uint8Array[]): Uint8Array {
  const { preimage: input, values, hash } = poseidonMachine();
  const bytes = new Uint8Array(input.buffer, input.byteOffset, input.byteLength);
  for (const [i, element] of preimage.entries()) {
    if (element.length !== FR_BYTES) {
      throw new RangeError(`element: expected ${FR_BYTES} bytes, got ${element.length}`);
    }
    bytes.set(element, FR_BYTES * i);
  }
  hash(preimage.length as PoseidonArity);
  return new Uint8Array(values.buffer, values.byteOffset, FR_BYTES).slice();
}
