import { expect, it } from 'vitest';
import { FR_MODULUS } from '../field/fr.ts';
import { invertMatrix, multiplyMatrices, vectorTimesMatrix } from './fr-matrix.ts';
import { grainBits } from './grain-lfsr.ts';

it('the inverse undoes a matrix, also where a pivot is zero', () => {
  const matrix = [
    [0n, 2n, FR_MODULUS - 1n],
    [3n, 0n, 5n],
    [7n, 11n, 0n],
  ];
  const product = multiplyMatrices(matrix, invertMatrix(matrix));
  expect(product).toEqual([
    [1n, 0n, 0n],
    [0n, 1n, 0n],
    [0n, 0n, 1n],
  ]);
  expect(vectorTimesMatrix([1n, 0n, 0n], matrix)).toEqual(matrix[0]);
});

it('a singular matrix has no inverse', () => {
  const singular = [
    [1n, 2n],
    [2n, 4n],
  ];
  expect(() => invertMatrix(singular)).toThrow(/singular/);
});

it('the Grain register takes exactly 80 bits', () => {
  expect(() => grainBits([[79, 1]])).toThrow(/80 bits/);
  const bit = grainBits([[80, 1]]);
  const drawn = Array.from({ length: 10_000 }, bit);
  expect(new Set(drawn)).toEqual(new Set([0, 1]));
});
