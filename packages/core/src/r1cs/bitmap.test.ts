import { describe, expect, it } from 'vitest';
import {
  bitmapBytes,
  bitmapOf,
  countBits,
  hasBit,
  placeBits,
  rankOf,
  ranksOf,
  setBit,
} from './bitmap.ts';

function bitmapWhere(bits: number, isSet: (bit: number) => boolean): Uint32Array {
  const bitmap = bitmapOf(bits);
  for (let i = 0; i < bits; i++) if (isSet(i)) setBit(bitmap, i);
  return bitmap;
}
const every = (bits: number, bitmap: Uint32Array): boolean[] =>
  Array.from({ length: bits }, (_, i) => hasBit(bitmap, i));
const pattern = (i: number): boolean => (i * i + 3 * i) % 7 < 3 || i % 32 === 31;

describe('bitmaps', () => {
  it('count their bits and know ranks', () => {
    const bitmap = bitmapWhere(200, pattern);
    const ranks = ranksOf(bitmap);
    let rank = 0;
    for (let i = 0; i < 200; i++) {
      expect(rankOf(bitmap, ranks, i)).toBe(rank);
      if (pattern(i)) rank++;
    }
    expect(countBits(bitmap)).toBe(rank);
  });

  it.each([0, 1, 31, 32, 33, 63])('are placed at bit %i, bit by bit the same', (at) => {
    const bits = 77;
    const target = bitmapOf(at + bits + bits);
    const source = bitmapWhere(bits, pattern);
    placeBits(target, at, source, bits);
    placeBits(target, at + bits, source, bits);
    const expected = [...Array<boolean>(at).fill(false), ...every(bits, source)];
    expect(every(at + 2 * bits, target)).toEqual([...expected, ...every(bits, source)]);
  });

  it('give their bytes LSB first', () => {
    const bitmap = bitmapWhere(34, (i) => i === 0 || i === 9 || i === 33);
    expect([...bitmapBytes(bitmap, 34)]).toEqual([1, 2, 0, 0, 2]);
  });
});
