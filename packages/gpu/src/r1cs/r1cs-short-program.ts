import { CLASS_DICTIONARY, COLUMN_MASK, type TemplateMatrix } from '@cuzk/core/r1cs/shape';
import { bitNumber, isBit, type RowReader } from './r1cs-columns.ts';

/** Consecutive rows of a template whose program fits one binding; format in kernels/r1cs/short-rows.wgsl. */
export interface ShortChunk {
  readonly firstRow: number;
  readonly rows: number;
  readonly words: Uint32Array;
  /** Word of the first header of a, b and c (c: 0 where the program has none). */
  readonly bases: readonly [number, number, number];
}

const MOST_SHORT_TERMS = 7;
/** Rows per header of a short program. */
const HEADER_ROWS = 32;
const HEADER_WORDS = 4;
/** Rows are assigned to chunks in steps of this many. */
const CHUNK_STEP = 2 ** 12;

/** One byte per row: 1 where it is long. */
export function classify(reader: RowReader, rows: number): Uint8Array {
  const isLong = new Uint8Array(rows);
  for (const matrix of reader.matrices) {
    for (let row = 0; row < rows; row++) {
      if (isLong[row] === 0 && !isShort(reader, matrix, row)) isLong[row] = 1;
    }
  }
  return isLong;
}

function isShort(reader: RowReader, { rowPointers, terms }: TemplateMatrix, row: number): boolean {
  const end = rowPointers[row + 1];
  let count = 0;
  for (let at = rowPointers[row]; at < end; at++) {
    const word = terms[at];
    const kind = word >>> 24;
    const coefficient =
      kind === CLASS_DICTIONARY
        ? reader.small.ofDictionary[terms[++at]]
        : reader.small.ofClass[kind];
    if (coefficient === 0 || !isBit(reader, word & COLUMN_MASK)) return false;
    if (++count > MOST_SHORT_TERMS) return false;
  }
  return true;
}

/** The programs of the short rows, none longer than `mostWords` unless one step of rows is. */
export function buildChunks(
  reader: RowReader,
  isLong: Uint8Array,
  mostWords: number,
): ShortChunk[] {
  const rows = isLong.length;
  const chunks: ShortChunk[] = [];
  for (let firstRow = 0; firstRow < rows; ) {
    let end = firstRow;
    let words = 0;
    while (end < rows) {
      const next = Math.min(rows, end + CHUNK_STEP);
      const more = shortWords(reader, isLong, end, next);
      if (end > firstRow && words + more > mostWords) break;
      words += more;
      end = next;
    }
    chunks.push(buildChunk(reader, isLong, firstRow, end, words));
    firstRow = end;
  }
  return chunks;
}

/** An upper bound of the words of rows [from, to): terms as they are stored and all headers. */
function shortWords(reader: RowReader, isLong: Uint8Array, from: number, to: number): number {
  let words = 0;
  for (const { rowPointers } of reader.matrices) {
    for (let row = from; row < to; row++) {
      if (isLong[row] === 0) words += rowPointers[row + 1] - rowPointers[row];
    }
  }
  const headers = Math.ceil((to - from) / HEADER_ROWS);
  return words + reader.matrices.length * headers * HEADER_WORDS;
}

function buildChunk(
  reader: RowReader,
  isLong: Uint8Array,
  firstRow: number,
  end: number,
  mostWords: number,
): ShortChunk {
  const words = new Uint32Array(mostWords);
  const headerWords = Math.ceil((end - firstRow) / HEADER_ROWS) * HEADER_WORDS;
  const bases: [number, number, number] = [0, 0, 0];
  let at = 0;
  reader.matrices.forEach((matrix, m) => {
    bases[m] = at;
    let termAt = at + headerWords;
    for (let row = firstRow; row < end; row++) {
      const header = at + Math.floor((row - firstRow) / HEADER_ROWS) * HEADER_WORDS;
      const lane = (row - firstRow) % HEADER_ROWS;
      if (lane === 0) words[header] = termAt;
      if (isLong[row] !== 0) continue;
      const start = termAt;
      termAt = writeShortTerms(reader, matrix, row, words, termAt);
      const length = termAt - start;
      for (let plane = 0; plane < 3; plane++) {
        words[header + 1 + plane] |= ((length >> plane) & 1) << lane;
      }
    }
    at = termAt;
  });
  return { firstRow, rows: end - firstRow, words: words.subarray(0, at), bases };
}

function writeShortTerms(
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
    const coefficient =
      kind === CLASS_DICTIONARY
        ? reader.small.ofDictionary[terms[++at]]
        : reader.small.ofClass[kind];
    words[to++] = (coefficient << 24) | bitNumber(reader, word & COLUMN_MASK);
  }
  return to;
}
