import { FR_MODULUS } from '@cuzk/core/field/fr';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { OpenedDevice } from '../device/device.ts';
import { seededElements } from '../testing/fr-values.ts';
import { openTestDevice } from '../testing/software-device.ts';
import { giveFrVector, takeFrVector, uploadFr } from './fr-vector.ts';
import { requireBelowR } from './require-below-r.ts';

const COUNT = 300;
let opened: OpenedDevice;
beforeAll(async () => {
  opened = await openTestDevice();
});
afterAll(() => opened.close());

const littleEndian = (value: bigint): Uint8Array =>
  Uint8Array.from({ length: 32 }, (_, i) => Number((value >> BigInt(8 * i)) & 0xffn));

/** Random elements, but for these. */
async function look(changes: Readonly<Record<number, bigint>>): Promise<void> {
  const { context } = opened;
  const bytes = seededElements(7, COUNT);
  for (const [i, value] of Object.entries(changes)) bytes.set(littleEndian(value), 32 * Number(i));
  const vector = takeFrVector(context, 'scratch', COUNT, 'test', 64);
  uploadFr(context, vector, bytes);
  const before = context.buffers.bytesInUse.scratch;
  try {
    await requireBelowR(context, 'scalars', vector);
  } finally {
    expect(context.buffers.bytesInUse.scratch).toBe(before);
    giveFrVector(context, vector);
  }
}

it('takes all that is below r', async () => {
  await look({});
  await look({
    0: 0n,
    63: FR_MODULUS - 1n,
    64: FR_MODULUS - (1n << 32n),
    [COUNT - 1]: FR_MODULUS - 1n,
  });
});

it.each([0, 63, 64, COUNT - 1])('finds r, and what is above it, as element %i', async (at) => {
  const found = `scalars: expected elements below r, element ${at} is not`;
  for (const value of [FR_MODULUS, FR_MODULUS + (1n << 64n), (1n << 256n) - 1n]) {
    await expect(look({ [at]: value })).rejects.toThrow(found);
  }
});

it('names the lowest of several', async () => {
  const changes = { 290: FR_MODULUS, 130: FR_MODULUS + 1n, 131: FR_MODULUS };
  await expect(look(changes)).rejects.toThrow('element 130 is not');
});
