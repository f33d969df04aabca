import { describe, expect, it } from 'vitest';
import { makeSample, makeSmall } from '../testing/sample-circuits.ts';
import { buildPrograms, coefficientValues } from './r1cs-program.ts';

/** Terms of a row of a short program, by its header. */
function shortTerms(words: Uint32Array, base: number, row: number): number[] {
  const header = base + 4 * Math.floor(row / 32);
  const length = (lane: number): number =>
    [1, 2, 3].reduce((sum, k) => sum + (((words[header + k] >>> lane) & 1) << (k - 1)), 0);
  let start = words[header];
  for (let lane = 0; lane < row % 32; lane++) start += length(lane);
  return [...words.subarray(start, start + length(row % 32))];
}

describe('programs of a shape', () => {
  const { shape } = makeSmall('sha256-node');
  const [segment] = shape.segments;

  it('give each row to exactly one kind, and nearly all rows to the short one', () => {
    const [program] = buildPrograms(shape, true, 2 ** 25);
    const long = program.longRows.length / 5;
    expect(long).toBeGreaterThan(40);
    expect(long).toBeLessThan(program.rows / 100);
    const [chunk] = program.chunks;
    expect(chunk.rows).toBe(segment.rows);
    const longRows = new Set(Array.from({ length: long }, (_, i) => program.longRows[5 * i]));
    expect(longRows.size).toBe(long);
    for (let row = 0; row < segment.rows; row += 7) {
      [segment.a, segment.b, segment.c].forEach(({ rowPointers }, m) => {
        const expected = longRows.has(row) ? 0 : rowPointers[row + 1] - rowPointers[row];
        expect(shortTerms(chunk.words, chunk.bases[m], row).length).toBe(expected);
      });
    }
  });

  it('sort the long rows by length', () => {
    const [program] = buildPrograms(shape, true, 2 ** 25);
    const lengths = Array.from(
      { length: program.longRows.length / 5 },
      (_, i) => program.longRows[5 * i + 4] - program.longRows[5 * i + 1],
    );
    expect(lengths).toEqual([...lengths].sort((a, b) => b - a));
    expect(lengths[0]).toBeGreaterThan(800);
  });

  it('are cut into chunks that fit, with the same terms', () => {
    const [whole] = buildPrograms(shape, true, 2 ** 25);
    const [cut] = buildPrograms(shape, true, 2 ** 14);
    expect(cut.chunks.length).toBeGreaterThan(5);
    let rows = 0;
    for (const chunk of cut.chunks) {
      expect(chunk.firstRow).toBe(rows);
      expect(chunk.words.length === 0 || chunk.words.length <= 2 ** 15).toBe(true);
      for (let row = 0; row < chunk.rows; row += 61) {
        for (let m = 0; m < 3; m++) {
          expect(shortTerms(chunk.words, chunk.bases[m], row)).toEqual(
            shortTerms(whole.chunks[0].words, whole.chunks[0].bases[m], chunk.firstRow + row),
          );
        }
      }
      rows += chunk.rows;
    }
    expect(rows).toBe(segment.rows);
  });

  it('leave c out where rows are not checked', () => {
    const [program] = buildPrograms(shape, false, 2 ** 25);
    const [checked] = buildPrograms(shape, true, 2 ** 25);
    expect(program.chunks[0].words.length).toBeLessThan(checked.chunks[0].words.length);
    expect(program.longRows.length).toBeLessThanOrEqual(checked.longRows.length);
  });

  it('place the instances of a segment one after the other', () => {
    const sample = makeSample(4, 1).shape;
    const [first, second] = buildPrograms(sample, true, 2 ** 25);
    expect([first.firstRow, first.auxBase, first.inputBase, first.elementBase]).toEqual([
      0, 0, 0, 0,
    ]);
    expect(second.firstRow).toBe(first.rows);
    expect(second.auxBase).toBe(first.aux);
    expect(second.inputBase).toBe(first.inputs);
    expect(second.elementBase).toBe(first.elements);
    expect(second.firstRow + 4 * second.rows).toBe(sample.constraints);
    expect(second.auxBase + 4 * second.aux).toBe(sample.aux);
  });

  it('number powers of two, −1 and the dictionary', () => {
    const values = coefficientValues(shape);
    expect(values[0]).toBe(1n);
    expect(values[253]).toBe(1n << 253n);
    expect(values[254]).toBe(-1n);
    expect(values.slice(255)).toEqual(shape.dictionary);
  });
});
