import { writeOutRows } from '@cuzk/core/groth16/testing/write-out';
import { expect, it } from 'vitest';
import { makeSample, makeSmall } from '../testing/sample-circuits.ts';
import { type TransposedSegment, type TransposedTerms, transposeShape } from './qap-columns.ts';

type Term = [row: number, coefficient: number];

/** Terms of an item with rows of the circuit. */
const termsOf = ({ pointers, terms }: TransposedTerms, item: number, rowBase: number): Term[] => {
  const found: Term[] = [];
  for (let k = pointers[item]; k < pointers[item + 1]; k++)
    found.push([rowBase + terms[2 * k], terms[2 * k + 1]]);
  return found;
};

/** Adds the terms of one instance to their columns; returns how many came in slices. */
function collect(
  segment: TransposedSegment,
  instance: number,
  mostTerms: number,
  columns: Term[][],
): number {
  const { inputs, aux } = segment;
  const rowBase = segment.firstRow + instance * segment.rows;
  for (let item = 0; item < inputs + aux; item++) {
    const input = segment.inputBase + instance * inputs + item;
    const column = item < inputs ? input : segment.auxBase + instance * aux + item - inputs;
    const terms = termsOf(segment.columns, item, rowBase);
    expect(terms.length).toBeLessThanOrEqual(mostTerms);
    columns[column].push(...terms);
  }
  let sliced = 0;
  for (const { column, stride, firstSlice, slices } of segment.long) {
    for (let slice = firstSlice; slice < firstSlice + slices; slice++) {
      const terms = termsOf(segment.slices, slice, rowBase);
      expect(terms.length).toBeGreaterThan(0);
      expect(terms.length).toBeLessThanOrEqual(mostTerms);
      columns[column + instance * stride].push(...terms);
      sliced += terms.length;
    }
  }
  return sliced;
}

it.each([
  { name: 'a sample, short columns', shape: makeSample(5, 2).shape, mostTerms: 256 },
  { name: 'a sample, long columns', shape: makeSample(5, 2).shape, mostTerms: 2 },
  { name: 'poseidon2', shape: makeSmall('poseidon2').shape, mostTerms: 10 },
])('every term of $name is in its column once', ({ shape, mostTerms }) => {
  const ordered = (terms: Term[]) => terms.sort((x, y) => x[0] - y[0] || x[1] - y[1]);
  let sliced = 0;
  for (const matrix of ['a', 'b', 'c'] as const) {
    const columns: Term[][] = Array.from({ length: shape.inputs + shape.aux }, () => []);
    for (const segment of transposeShape(shape, matrix, mostTerms)) {
      for (let instance = 0; instance < segment.instances; instance++)
        sliced += collect(segment, instance, mostTerms, columns);
    }
    const expected: Term[][] = columns.map(() => []);
    writeOutRows(shape, matrix).forEach((cells, row) => {
      for (const [column, kind, index] of cells) expected[column].push([row, kind + (index ?? 0)]);
    });
    expect(columns.map(ordered)).toEqual(expected.map(ordered));
  }
  expect(sliced).toBeGreaterThan(0);
});
