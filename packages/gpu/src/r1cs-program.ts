import { FR_MODULUS } from '@cuzk/core/field/fr';
import { countBits, hasBit, rankOf, ranksOf } from '@cuzk/core/r1cs/bitmap';
import {
  type CircuitShape,
  CLASS_DICTIONARY,
  CLASS_MINUS_ONE,
  COLUMN_MASK,
  GLOBAL_COLUMN,
  type ShapeSegment,
  type TemplateMatrix,
} from '@cuzk/core/r1cs/shape';

/**
 * A shape as the evaluation kernels read it. Which variables are bits is static, so it is decided here, once per
 * circuit, and every term names its place in the witness directly. Rows are of two kinds: *short* ones (at most
 * seven terms, bits with small integer coefficients; 99.9 % of a hash circuit) are added up in integers, all
 * others are *long*. A row is long as soon as one of its combinations is.
 */
export interface SegmentProgram {
  readonly instances: number;
  readonly rows: number;
  /** Circuit row, aux and input of instance 0, and the number of element aux before it. */
  readonly firstRow: number;
  readonly auxBase: number;
  readonly inputBase: number;
  readonly elementBase: number;
  readonly aux: number;
  readonly inputs: number;
  readonly elements: number;
  readonly chunks: readonly ShortChunk[];
  /** Five words per long row: template row, first term of a, b, c, end of c. Longest rows first. */
  readonly longRows: Uint32Array;
  /** Two words per term: kind·2^28 + index, number of the coefficient. */
  readonly longTerms: Uint32Array;
}

/** Consecutive rows of a template whose program fits one binding; format in kernels/r1cs/short-rows.wgsl. */
export interface ShortChunk {
  readonly firstRow: number;
  readonly rows: number;
  readonly words: Uint32Array;
  /** Word of the first header of a, b and c (c: 0 where the program has none). */
  readonly bases: readonly [number, number, number];
}

const MOST_SHORT_TERMS = 7;
const LARGEST_SHORT_COEFFICIENT = 127;
/** Rows per header of a short program. */
const HEADER_ROWS = 32;
const HEADER_WORDS = 4;
/** Rows are assigned to chunks in steps of this many. */
const CHUNK_STEP = 2 ** 12;
const TERM_KIND = { localBit: 0, sharedBit: 1, localInput: 2, localElement: 3, value: 4 } as const;
const SHARED_BIT = 1 << 23;
/** Numbers of the coefficients with a class: +2^k is k. Dictionary entry i is FIRST_DICTIONARY_COEFFICIENT + i. */
const FIRST_DICTIONARY_COEFFICIENT = 255;

/** The coefficients in the order of their numbers; the last one is added by the caller (R, for products). */
export function coefficientValues(shape: CircuitShape): bigint[] {
  const powers = Array.from({ length: CLASS_MINUS_ONE }, (_, k) => 1n << BigInt(k));
  return [...powers, -1n, ...shape.dictionary];
}

/** Programs of all segments. `check` adds c; without it rows are classified by a and b alone. */
export function buildPrograms(
  shape: CircuitShape,
  check: boolean,
  mostWords: number,
): SegmentProgram[] {
  const small = smallCoefficients(shape.dictionary);
  const first = segmentColumns(shape.segments[0]);
  const programs: SegmentProgram[] = [];
  let [firstRow, auxBase, inputBase, elementBase] = [0, 0, 0, 0];
  shape.segments.forEach((segment, index) => {
    const columns = segmentColumns(segment);
    const reader: RowReader = {
      matrices: check ? [segment.a, segment.b, segment.c] : [segment.a, segment.b],
      small,
      first,
      own: columns,
      isFirst: index === 0,
      shapeInputs: shape.inputs,
    };
    const isLong = classify(reader, segment.rows);
    programs.push({
      instances: segment.instances,
      rows: segment.rows,
      firstRow,
      auxBase,
      inputBase,
      elementBase,
      aux: segment.aux,
      inputs: segment.inputs,
      elements: columns.elements,
      chunks: buildChunks(reader, isLong, mostWords),
      ...buildLong(reader, isLong),
    });
    firstRow += segment.instances * segment.rows;
    auxBase += segment.instances * segment.aux;
    inputBase += segment.instances * segment.inputs;
    elementBase += segment.instances * columns.elements;
  });
  return programs;
}

interface Columns {
  readonly inputs: number;
  readonly elementBitmap: Uint32Array;
  readonly ranks: Uint32Array;
  readonly elements: number;
}

interface RowReader {
  /** a, b and, where rows are to be checked, c. */
  readonly matrices: readonly TemplateMatrix[];
  readonly small: SmallCoefficients;
  readonly first: Columns;
  readonly own: Columns;
  readonly isFirst: boolean;
  readonly shapeInputs: number;
}

/** Small integer of a coefficient by class and by dictionary index; 0 where it is not small. */
interface SmallCoefficients {
  readonly ofClass: Int8Array;
  readonly ofDictionary: Int8Array;
}

function smallCoefficients(dictionary: readonly bigint[]): SmallCoefficients {
  const ofClass = new Int8Array(256);
  for (let k = 0; 2 ** k <= LARGEST_SHORT_COEFFICIENT; k++) ofClass[k] = 2 ** k;
  ofClass[CLASS_MINUS_ONE] = -1;
  const limit = BigInt(LARGEST_SHORT_COEFFICIENT);
  const ofDictionary = Int8Array.from(dictionary, (value) => {
    const signed = value > FR_MODULUS / 2n ? value - FR_MODULUS : value;
    return signed >= -limit && signed <= limit ? Number(signed) : 0;
  });
  return { ofClass, ofDictionary };
}

function segmentColumns({ inputs, elementBitmap }: ShapeSegment): Columns {
  return {
    inputs,
    elementBitmap,
    ranks: ranksOf(elementBitmap),
    elements: countBits(elementBitmap),
  };
}

/** ONE counts as a bit: it is number 0 of the shared bits. */
function isBit(reader: RowReader, column: number): boolean {
  const shared = column >= GLOBAL_COLUMN;
  const local = shared ? column - GLOBAL_COLUMN : column;
  const { inputs, elementBitmap } = shared ? reader.first : reader.own;
  if (local < inputs) return local === 0 && (shared || reader.isFirst);
  return !hasBit(elementBitmap, local - inputs);
}

/** One byte per row: 1 where it is long. */
function classify(reader: RowReader, rows: number): Uint8Array {
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

function buildChunks(reader: RowReader, isLong: Uint8Array, mostWords: number): ShortChunk[] {
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

/** Shared bits count the variables of the first segment; local ones the aux of the instance. */
function bitNumber(reader: RowReader, column: number): number {
  if (column >= GLOBAL_COLUMN) return SHARED_BIT | (column - GLOBAL_COLUMN);
  return column < reader.own.inputs ? SHARED_BIT : column - reader.own.inputs;
}

function buildLong(
  reader: RowReader,
  isLong: Uint8Array,
): Pick<SegmentProgram, 'longRows' | 'longTerms'> {
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

/** Kind and index of a variable; shared inputs and elements are indices into the values buffer as they stand. */
function placeOf(reader: RowReader, column: number): number {
  const pack = (kind: number, index: number): number => kind * 2 ** 28 + index;
  const shared = column >= GLOBAL_COLUMN;
  const local = shared ? column - GLOBAL_COLUMN : column;
  const { inputs, elementBitmap, ranks } = shared ? reader.first : reader.own;
  if (local < inputs) {
    if (local === 0 && (shared || reader.isFirst)) return pack(TERM_KIND.sharedBit, 0);
    return pack(shared ? TERM_KIND.value : TERM_KIND.localInput, local);
  }
  const aux = local - inputs;
  if (!hasBit(elementBitmap, aux)) {
    return shared ? pack(TERM_KIND.sharedBit, local) : pack(TERM_KIND.localBit, aux);
  }
  const rank = rankOf(elementBitmap, ranks, aux);
  return shared
    ? pack(TERM_KIND.value, reader.shapeInputs + rank)
    : pack(TERM_KIND.localElement, rank);
}
