import { FR_BYTES, frToBytes } from '../field/fr.ts';
import { bitmapOf, countBits, hasBit, setBit } from './bitmap.ts';
import type { CompactWitness } from './compact-witness.ts';
import { expandBitmap } from './density.ts';
import type { CircuitShape } from './shape.ts';

/**
 * The compact form of a plain assignment (inputs with ONE first, aux; canonical values). Slow: for small
 * circuits and references; a prover's witness is written in this form from the start. Throws RangeError
 * where the assignment has other sizes than the shape, or where an aux that is a bit is neither 0 nor 1.
 */
export function compactAssignment(
  shape: CircuitShape,
  inputs: readonly bigint[],
  aux: readonly bigint[],
): CompactWitness {
  if (inputs.length !== shape.inputs || aux.length !== shape.aux) {
    throw new RangeError(
      `assignment: expected ${shape.inputs} inputs and ${shape.aux} aux, got ${inputs.length} and ${aux.length}`,
    );
  }
  const isElement = expandBitmap(shape, 'elementBitmap');
  const elements = new Uint8Array(FR_BYTES * countBits(isElement));
  const bitPlane = bitmapOf(shape.aux);
  let elementAt = 0;
  aux.forEach((value, i) => {
    if (hasBit(isElement, i)) {
      elements.set(frToBytes(value), elementAt);
      elementAt += FR_BYTES;
    } else if (value === 1n) {
      setBit(bitPlane, i);
    } else if (value !== 0n) {
      throw new RangeError(`assignment: expected aux ${i} to be a bit`);
    }
  });
  const inputBytes = new Uint8Array(FR_BYTES * inputs.length);
  inputs.forEach((value, i) => {
    inputBytes.set(frToBytes(value), FR_BYTES * i);
  });
  return {
    circuitId: shape.circuitId,
    shapeDigest: shape.shapeDigest,
    inputs: inputBytes,
    bitPlane,
    elements: new Uint32Array(elements.buffer),
  };
}
