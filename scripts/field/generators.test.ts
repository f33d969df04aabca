import { execFileSync } from 'node:child_process';
import { FP_MODULUS } from '@cuzk/core/field/fp';
import { FR_MODULUS } from '@cuzk/core/field/fr';
import { describe, expect, it } from 'vitest';
import { karatsubaProduct } from './karatsuba-product.mjs';
import { karatsuba13Field } from './karatsuba13.mjs';
import { digitsOf, limbsOf, pmns23Field, Z } from './pmns23.mjs';
import { signed13Field } from './signed13.mjs';
import { signed24Field } from './signed24.mjs';

const fp = { type: 'Fp', prefix: 'fp', modulus: FP_MODULUS, words: 12 };
const fr = { type: 'Fr', prefix: 'fr', modulus: FR_MODULUS, words: 8 };

describe('field generators', () => {
  it('refuse operands that break the bound of the column sums', () => {
    expect(() => signed24Field({ ...fp, limbs: 16, unit: 29, looseA: 1 })).toThrow('bound fails');
    expect(() => signed24Field({ ...fp, limbs: 16, unit: 30, looseA: 1.2 })).toThrow('bound fails');
    expect(() => signed24Field({ ...fr, limbs: 11, unit: 30, looseA: 3 })).toThrow('bound fails');
    expect(() => signed13Field({ ...fp, limbs: 30, looseA: 2 })).toThrow('column sum');
    expect(() => karatsuba13Field({ ...fr, limbs: 20, levels: 2, looseA: 4 })).toThrow(
      'column sum',
    );
  });

  it('refuse digits in base z where limbs, modulus or fourth root do not allow them', () => {
    const fourthRoot = Z ** 3n;
    expect(() => pmns23Field({ modulus: FR_MODULUS, fourthRoot, operandLimb: 2 ** 27 })).toThrow(
      'bound fails',
    );
    expect(() => pmns23Field({ modulus: FP_MODULUS, fourthRoot })).toThrow('z^4');
    expect(() => pmns23Field({ modulus: FR_MODULUS, fourthRoot: 5n })).toThrow('fourth root');
    for (const value of [0n, 1n, FR_MODULUS - 1n, FR_MODULUS >> 1n, Z ** 3n, Z ** 4n - 1n]) {
      const digits = digitsOf(value);
      const sum = digits.reduceRight((rest, digit) => rest * Z + digit, 0n);
      expect((sum - value) % FR_MODULUS).toBe(0n);
      for (const digit of digits) {
        expect(2n * digit <= Z + 2n && 2n * digit >= -Z - 2n).toBe(true);
        const limbs = limbsOf(digit);
        expect(limbs[0] + (limbs[1] << 23n) + (limbs[2] << 46n)).toBe(digit);
      }
    }
  });

  it('refuse a form whose products do not fit the stored words', () => {
    expect(() => signed13Field({ ...fr, words: 7, limbs: 20, looseA: 1.5 })).toThrow('fit');
  });

  it('refuse the special reduction for another modulus', () => {
    expect(() =>
      karatsuba13Field({ ...fp, words: 12, limbs: 30, split: [2, 3], looseA: 1 }),
    ).toThrow('2^64');
  });

  it('write Karatsuba columns that equal those of the schoolbook product', () => {
    const names = (letter: string): string[] =>
      Array.from({ length: 20 }, (_, i) => `${letter}[${i}]`);
    const { columns, lines } = karatsubaProduct(names('a'), names('b'), 2);
    const evaluate = new Function(
      'a',
      'b',
      `${lines.join('\n')}\nreturn [${columns.join(', ')}];`,
    ) as (a: number[], b: number[]) => number[];
    const a = Array.from({ length: 20 }, (_, i) => ((i * 7919) % 8192) - 4096);
    const b = Array.from({ length: 20 }, (_, i) => ((i * 104729) % 8192) - 4096);
    const expected = Array.from({ length: 39 }, (_, k) =>
      a.reduce((sum, value, i) => sum + value * (b[k - i] ?? 0), 0),
    );
    expect(evaluate(a, b)).toEqual(expected);
  });

  it('give the files that are checked in', () => {
    const script = new URL('../generate-kernels.mjs', import.meta.url).pathname;
    execFileSync(process.execPath, [script, '--check']);
  });
});
