import { CuzkError } from '@cuzk/core/errors';
import { FR_BYTES } from '@cuzk/core/field/fr';
import { bitmapOf, setBit } from '@cuzk/core/r1cs/bitmap';
import type { CompactWitness } from '@cuzk/core/r1cs/compact-witness';
import { expandBitmap } from '@cuzk/core/r1cs/density';
import type { CircuitShape } from '@cuzk/core/r1cs/shape';
import { oneForEach } from '../device/one-for-each.ts';
import { requireElements } from './require-elements.ts';

/** Where the bit plane of a circuit must be 0: at elements, and behind the last aux. */
const noBitsOf = oneForEach((shape: CircuitShape): Uint32Array => {
  const bitmap = bitmapOf(32 * Math.ceil(shape.aux / 32));
  bitmap.set(expandBitmap(shape, 'elementBitmap'));
  for (let bit = shape.aux; bit < 32 * bitmap.length; bit++) setBit(bitmap, bit);
  return bitmap;
});

/**
 * What the device takes on trust of a witness, whose sizes it compares: a first input of 1, values below r, no bits but
 * those of the circuit. Throws CuzkError WITNESS_MALFORMED.
 */
export function requireWitness(shape: CircuitShape, witness: CompactWitness): void {
  const { inputs, bitPlane, elements } = witness;
  requireValues('inputs', inputs);
  if (inputs.subarray(0, FR_BYTES).some((byte, i) => byte !== (i === 0 ? 1 : 0))) {
    throw malformed('inputs', 'ONE as the first', 'another value');
  }
  const noBits = noBitsOf(shape);
  if (bitPlane.some((word, i) => (word & noBits[i]) !== 0)) {
    throw malformed('bit plane', 'bits of the circuit only', 'other bits that are set');
  }
  const { buffer, byteOffset, byteLength } = elements;
  requireValues('elements', new Uint8Array(buffer, byteOffset, byteLength));
}

function requireValues(what: string, bytes: Uint8Array): void {
  try {
    requireElements(what, bytes);
  } catch {
    throw malformed(what, 'values below r', 'others');
  }
}

const malformed = (what: string, expected: string, found: string): CuzkError =>
  new CuzkError('WITNESS_MALFORMED', `the witness is none of any circuit: ${what}`, {
    expected,
    found,
  });
