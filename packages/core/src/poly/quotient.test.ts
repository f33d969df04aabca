import { sha256 } from '@noble/hashes/sha2.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toHex } from '../bytes.ts';
import { FR_MODULUS, frToBytes } from '../field/fr.ts';
import { fromLeHex, goldenJson } from '../groth16/testing/golden.ts';
import { createDomain, frDomain } from './domain.ts';
import { cosetNtt, inverseNtt } from './ntt.ts';
import { quotientBySevenTransforms, quotientBySixTransforms } from './quotient.ts';

const digestOf = (values: readonly bigint[]): string => {
  const hash = sha256.create();
  for (const value of values) hash.update(frToBytes(value));
  return toHex(hash.digest());
};

describe('the toy circuit of spec §9.6', () => {
  const domain = createDomain(64513n, 3, 20201n, 5n);
  // Rows (1−a)·a = 0, (1−b)·b = 0, 2a·b = a + b − c, input rows ONE and c, for a = 1, b = 0, c = 1.
  const a = [0n, 1n, 2n, 1n, 1n];
  const b = [1n, 0n, 0n];
  const c = [0n, 0n, 0n];
  const expected = [5040n, 11763n, 10755n, 63633n, 128n, 9747n, 8739n];

  it('has the known quotient by both ways', () => {
    expect(quotientBySevenTransforms(a, b, c, domain)).toEqual(expected);
    expect(quotientBySixTransforms(a, b, c, domain)).toEqual(expected);
  });

  it('has another quotient when the rows are not satisfied', () => {
    expect(quotientBySevenTransforms(a, b, [1n], domain)).not.toEqual(expected);
  });
});

describe('poseidon2', () => {
  interface Stage {
    count: number;
    sha256: string;
  }
  const golden = goldenJson<{
    row_values_le: Record<'a' | 'b' | 'c', string[]>;
    intermediate: { stages: Record<string, Stage> };
  }>('small/poseidon2.json');
  const { stages } = golden.intermediate;
  const domain = frDomain(9);
  const rows = (name: 'a' | 'b' | 'c'): bigint[] => golden.row_values_le[name].map(fromLeHex);

  it.each(['a', 'b', 'c'] as const)('%s has the digests of the reference on the way', (name) => {
    const coefficients = inverseNtt(rows(name), domain);
    expect(digestOf(coefficients)).toBe(stages[`${name}_coefficients`].sha256);
    expect(digestOf(cosetNtt(coefficients, domain))).toBe(stages[`${name}_on_coset`].sha256);
  });

  it('the quotient has the digests of the reference by both ways', () => {
    const seven = quotientBySevenTransforms(rows('a'), rows('b'), rows('c'), domain);
    expect(seven.length).toBe(stages.h_coefficients.count);
    expect(digestOf(seven)).toBe(stages.h_coefficients.sha256);
    // The dropped coefficient is zero, so the m − 1 that are left give the values on the coset.
    expect(digestOf(cosetNtt(seven, domain))).toBe(stages.h_on_coset.sha256);
    expect(quotientBySixTransforms(rows('a'), rows('b'), rows('c'), domain)).toEqual(seven);
  });

  it('one altered row value changes the digest', () => {
    const c = rows('c');
    c[100] = (c[100] + 1n) % FR_MODULUS;
    const altered = quotientBySixTransforms(rows('a'), rows('b'), c, domain);
    expect(digestOf(altered)).not.toBe(stages.h_coefficients.sha256);
  });
});

it('six and seven transforms agree on any rows, satisfied or not', () => {
  const row = fc.bigInt({ min: 0n, max: FR_MODULUS - 1n });
  const vector = fc.array(row, { maxLength: 16 });
  fc.assert(
    fc.property(vector, vector, vector, (a, b, c) => {
      const domain = frDomain(4);
      const seven = quotientBySevenTransforms(a, b, c, domain);
      expect(seven.length).toBe(15);
      expect(quotientBySixTransforms(a, b, c, domain)).toEqual(seven);
    }),
    { numRuns: 40 },
  );
});
