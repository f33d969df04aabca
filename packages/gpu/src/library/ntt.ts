import { FR_BYTES, frInvert, frMul } from '@cuzk/core/field/fr';
import { groupsFor } from '../device/commands.ts';
import type { GpuContext } from '../device/context.ts';
import { deviceCall } from '../device/device-call.ts';
import { type PacedCommands, paceCommands } from '../device/paced-commands.ts';
import { FR_VARIANTS } from '../field/field-variants.ts';
import {
  downloadFr,
  type FrVector,
  giveFrVector,
  segmentRanges,
  takeFrVector,
  uploadFr,
} from '../field/fr-vector.ts';
import { requireBelowR } from '../field/require-below-r.ts';
import { openNtt } from '../ntt/ntt.ts';
import type { Direction } from '../ntt/ntt-plan.ts';
import { openPowers } from '../ntt/powers.ts';
import { keepBuffersFor } from './keep-buffers.ts';
import type { Gpu } from './open.ts';
import { requireWholeElements } from './require-elements.ts';

const LARGEST_LOG = 31;
const WORKGROUP = 64;

/**
 * The transform of 2^k elements of Fr, 32 bytes each, little-endian, in natural order before and after. Forward gives
 * the values of the polynomial at 1, w, w², …, where w is the 2^k-th root of unity 7^((r−1)/2^k); inverse gives its
 * coefficients back, divided by n. Throws RangeError on other lengths and elements, CuzkError CANCELLED,
 * GPU_OUT_OF_MEMORY, GPU_DEVICE_LOST.
 */
export async function ntt(
  { context }: Gpu,
  elements: Uint8Array,
  direction: Direction,
  options: { readonly signal?: AbortSignal } = {},
): Promise<Uint8Array> {
  const n = requireWholeElements('elements', elements);
  const logN = Math.log2(n);
  if (!Number.isInteger(logN) || logN > LARGEST_LOG) {
    throw new RangeError(`elements: expected 2^0 to 2^${LARGEST_LOG} of them, got ${n}`);
  }
  return deviceCall(context, async () => {
    keepBuffersFor(context, `ntt ${n}`);
    const paced = paceCommands(context, 'ntt', options.signal);
    return naturalOrder(await transformed(context, paced, elements, direction), logN);
  });
}

async function transformed(
  context: GpuContext,
  paced: PacedCommands,
  elements: Uint8Array,
  direction: Direction,
): Promise<Uint8Array> {
  const n = elements.length / FR_BYTES;
  const vector = takeFrVector(context, 'evaluations', n, 'elements');
  try {
    uploadFr(context, vector, elements);
    await requireBelowR(context, 'elements', vector);
    if (n > 1) await transformVector(context, paced, vector, direction);
    return await downloadFr(context, vector);
  } finally {
    giveFrVector(context, vector);
  }
}

/** In place, to bit-reversed order. */
async function transformVector(
  context: GpuContext,
  paced: PacedCommands,
  vector: FrVector,
  direction: Direction,
): Promise<void> {
  const transform = await openNtt(context, Math.log2(vector.length));
  try {
    await transform.dif(paced, vector, direction);
    if (direction === 'inverse') await divideByLength(context, paced, vector);
    await paced.finish();
  } finally {
    transform.close();
  }
}

/** A vector of R/n, then element by element x·y/R. */
async function divideByLength(
  context: GpuContext,
  paced: PacedCommands,
  vector: FrVector,
): Promise<void> {
  const { montgomeryR, modulus } = FR_VARIANTS[context.variants.fr];
  const overN = frMul(montgomeryR % modulus, frInvert(BigInt(vector.length)));
  const kernel = await context.kernels.get({
    file: 'ntt/multiply.wgsl',
    bindings: 'wru',
    workgroupSize: WORKGROUP,
  });
  const powers = await openPowers(context, Math.log2(vector.length), 1n, overN);
  const { length, segmentLength } = vector;
  const factors = takeFrVector(context, 'scratch', length, '1/n', segmentLength);
  try {
    for (const { segment, index, first, count } of segmentRanges(vector)) {
      const factor = factors.segments[index];
      await powers.fill(paced, { start: first, count, order: 'natural' }, factor);
      paced.commands.dispatch(kernel, [segment, factor], groupsFor(count, WORKGROUP), [
        count,
        0,
        0,
        0,
      ]);
      await paced.spend(count);
    }
    await paced.finish();
  } finally {
    powers.close();
    giveFrVector(context, factors);
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
