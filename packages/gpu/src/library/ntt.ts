import { FR_BYTES, frInvert } from '@cuzk/core/field/fr';
import { paceCommands } from '../device/paced-commands.ts';
import { downloadFr, giveFrVector, takeFrVector, uploadFr } from '../field/fr-vector.ts';
import { openNtt } from '../ntt/ntt.ts';
import type { Direction } from '../ntt/ntt-plan.ts';
import { createPowerTable, dropPowerTable } from '../ntt/ntt-tables.ts';
import type { Gpu } from './open.ts';
import { requireElements } from './require-elements.ts';

const LARGEST_LOG = 32;

/**
 * The transform of 2^k elements of Fr, 32 bytes each, little-endian, in natural order before and after. Forward gives
 * the values of the polynomial at 1, w, w², …, where w is the 2^k-th root of unity 7^((r−1)/2^k); inverse gives its
 * coefficients back, divided by n. Throws RangeError on other lengths and elements, CuzkError CANCELLED.
 */
export async function ntt(
  { context }: Gpu,
  elements: Uint8Array,
  direction: Direction,
  options: { readonly signal?: AbortSignal } = {},
): Promise<Uint8Array> {
  requireElements('elements', elements);
  const n = elements.length / FR_BYTES;
  const logN = Math.log2(n);
  if (!Number.isInteger(logN) || logN < 1 || logN > LARGEST_LOG) {
    throw new RangeError(`elements: expected 2^1 to 2^${LARGEST_LOG} of them, got ${n}`);
  }
  const transform = await openNtt(context, logN);
  const vector = takeFrVector(context, 'evaluations', n, 'elements');
  const overN = createPowerTable(context, logN, 1n, frInvert(BigInt(n)));
  try {
    uploadFr(context, vector, elements);
    const paced = paceCommands(context, 'ntt', options.signal);
    await transform.dif(paced, vector, direction);
    if (direction === 'inverse') await transform.scale(paced, vector, 'bit-reversed', overN);
    await paced.finish();
    return naturalOrder(await downloadFr(context, vector), logN);
  } finally {
    dropPowerTable(context, overN);
    giveFrVector(context, vector);
    transform.close();
  }
}

function naturalOrder(bytes: Uint8Array, logN: number): Uint8Array {
  const from = new BigUint64Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 8);
  const to = new BigUint64Array(from.length);
  for (let p = 0; p < 2 ** logN; p++) {
    let [index, rest] = [0, p];
    for (let bit = 0; bit < logN; bit++) {
      index = 2 * index + (rest & 1);
      rest >>>= 1;
    }
    to.set(from.subarray(4 * p, 4 * p + 4), 4 * index);
  }
  return new Uint8Array(to.buffer);
}
