import { FR_MODULUS } from '@cuzk/core/field/fr';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OpenedDevice } from '../device/device.ts';
import { elementBytes, seededElements } from '../testing/fr-values.ts';
import { openTestDevice } from '../testing/software-device.ts';
import {
  downloadFr,
  frSegmentLength,
  giveFrVector,
  segmentRanges,
  takeFrVector,
  uploadFr,
} from './fr-vector.ts';

describe('frSegmentLength', () => {
  it('is the largest power of two that a binding holds, at most 2^25', () => {
    const length = (maxBindingBytes: number, maxBufferBytes = 2 ** 40): number =>
      frSegmentLength({ maxBindingBytes, maxBufferBytes });
    expect(length(2 ** 27)).toBe(2 ** 22);
    expect(length(2 ** 31 - 4)).toBe(2 ** 25);
    expect(length(2 ** 40)).toBe(2 ** 25);
    expect(length(2 ** 40, 2 ** 28)).toBe(2 ** 23);
    expect(length(1000)).toBe(16);
  });
});

describe('FrVector', () => {
  let opened: OpenedDevice;
  beforeAll(async () => {
    opened = await openTestDevice();
  });
  afterAll(() => {
    opened.close();
  });

  it('keeps elements over segment borders, at any offset', async () => {
    const { context } = opened;
    const vector = takeFrVector(context, 'scratch', 100, 'test', 32);
    expect(vector.segments.map((segment) => segment.size)).toEqual([1024, 1024, 1024, 128]);
    const bytes = seededElements(5, 100);
    uploadFr(context, vector, bytes);
    expect(await downloadFr(context, vector)).toEqual(bytes);
    uploadFr(context, vector, bytes.subarray(0, 32 * 40), 27);
    expect(await downloadFr(context, vector, 27, 40)).toEqual(bytes.subarray(0, 32 * 40));
    expect(await downloadFr(context, vector, 5, 22)).toEqual(bytes.subarray(32 * 5, 32 * 27));
    expect(await downloadFr(context, vector, 67, 33)).toEqual(bytes.subarray(32 * 67));
    giveFrVector(context, vector);
  });

  it('gives canonical values whatever multiple of the modulus is stored', async () => {
    const { context } = opened;
    const vector = takeFrVector(context, 'scratch', 4, 'test');
    const stored = [-1n, -FR_MODULUS / 2n, FR_MODULUS, FR_MODULUS + 5n].map((value) => {
      const words = new Uint32Array(8);
      words.forEach((_, k) => {
        words[k] = Number(BigInt.asUintN(32, value >> BigInt(32 * k)));
      });
      return new Uint8Array(words.buffer);
    });
    stored.forEach((bytes, i) => {
      uploadFr(context, vector, bytes, i);
    });
    expect(await downloadFr(context, vector)).toEqual(
      elementBytes([-1n, -FR_MODULUS / 2n, 0n, 5n]),
    );
    giveFrVector(context, vector);
  });

  it('refuses ranges outside the vector, odd bytes and odd segments', () => {
    const { context } = opened;
    const vector = takeFrVector(context, 'scratch', 10, 'test');
    expect(() => [...segmentRanges(vector, 5, 6)]).toThrow(RangeError);
    expect(() => uploadFr(context, vector, new Uint8Array(33))).toThrow(RangeError);
    expect(() => takeFrVector(context, 'scratch', 10, 'test', 12)).toThrow(RangeError);
    giveFrVector(context, vector);
  });
});
