import { CLASS_DICTIONARY, COLUMN_MASK, type TemplateMatrix } from '@cuzk/core/r1cs/shape';
import { placeOf, type RowReader } from './r1cs-columns.ts';

/** Numbers of the coefficients with a class: +2^k is k, −1 is 254. Dictionary entry i comes after them. */
const FIRST_DICTIONARY_COEFFICIENT = 255;

/** The long rows of a template; formats in kernels/r1cs/long-rows.wgsl. */
export interface LongProgram {
  /** Five words per row: template row, first term of a, b, c, end of c. Longest rows first. */
  readonly longRows: Uint32Array;
  /** Two words per term: kind·2^28 + index, number of the coefficient. */
  readonly longTerms: Uint32Array;
}

/** The programs of the rows marked in `isLong`. */
export function buildLong(reader: RowReader, isLong: Uint8Array): LongProgram {
  const rows: number[] = [];
  isLong.forEach((long, row) => {
    if (long !== 0) rows.push(row);
  });
  const lengths = new Map(rows.map((row) => [row, countTerms(reader, row)]));
  const lengthOf = (row: number): number => lengths.get(row) ?? 0;
  // neighbours of like length keep the lanes of a GPU busy
  rows.sort((x, y) => lengthOf(y) - lengthOf(x) || x - y);
  const longRows = new Uint32Array(5 * rows.length);
  const longTerms = new Uint32Array(2 * rows.reduce((sum, row) => sum + lengthOf(row), 0));
  let at = 0;
  rows.forEach((row, i) => {
    longRows[5 * i] = row;
    for (let m = 0; m < 3; m++) {
      longRows[5 * i + 1 + m] = at / 2;
      const matrix = reader.matrices[m];
      if (matrix !== undefined) at = writeLongTerms(reader, matrix, row, longTerms, at);
    }
    longRows[5 * i + 4] = at / 2;
  });
  return { longRows, longTerms: longTerms.subarray(0, at) };
}

function countTerms(reader: RowReader, row: number): number {
  let count = 0;
  for (const { rowPointers, terms } of reader.matrices) {
    for (let at = rowPointers[row]; at < rowPointers[row + 1]; at++) {
      if (terms[at] >>> 24 === CLASS_DICTIONARY) at++;
      count++;
    }
  }
  return count;
}

function writeLongTerms(
  reader: RowReader,
  { rowPointers, terms }: TemplateMatrix,
  row: number,
  words: Uint32Array,
  first: number,
): number {
  let to = first;
  const end = rowPointers[row + 1];
  for (let at = rowPointers[row]; at < end; at++) {
    const word = terms[at];
    const kind = word >>> 24;
    words[to++] = placeOf(reader, word & COLUMN_MASK);
    words[to++] = kind === CLASS_DICTIONARY ? FIRST_DICTIONARY_COEFFICIENT + terms[++at] : kind;
  }
  return to;
}
