import { FR_MODULUS } from '@cuzk/core/field/fr';
import { describe, expect, it } from 'vitest';
import { parseFixedBlinding } from './fixed-blinding.ts';

const hex = (value: bigint): string => value.toString(16).padStart(64, '0');

describe('fixed blinding', () => {
  it('reads r and s of each partition, big-endian', () => {
    const text = [1n, 2n, FR_MODULUS - 1n, 0n].map(hex).join(',');
    expect(parseFixedBlinding(text, 2)).toEqual([
      { r: 1n, s: 2n },
      { r: FR_MODULUS - 1n, s: 0n },
    ]);
  });

  it.each([
    ['too few scalars', hex(1n)],
    ['too many scalars', [1n, 2n, 3n].map(hex).join(',')],
    ['a value that is not below the order', [FR_MODULUS, 1n].map(hex).join(',')],
    ['a short value', `1,${hex(2n)}`],
    ['no hex at all', `${'z'.repeat(64)},${hex(2n)}`],
  ])('refuses %s', (_what, text) => {
    expect(() => parseFixedBlinding(text, 1)).toThrow(/REQUEST_INVALID/);
  });

  it('does not repeat a wrong scalar in its message', () => {
    const secret = hex(FR_MODULUS + 5n);
    try {
      parseFixedBlinding(`${secret},${secret}`, 1);
      expect.unreachable();
    } catch (error) {
      expect(JSON.stringify(error) + String(error)).not.toContain(secret);
    }
  });
});
