import { bytesEqual, toHex } from '../bytes.ts';
import { FR_BYTES, frFromBytes, frToBytes } from '../field/fr.ts';
import { sumOverInstances } from './density.ts';
import type { CircuitShape, ShapeSegment, TemplateMatrix } from './shape.ts';
import {
  align,
  CHECKED_FROM,
  CHECKSUM_AT,
  headerOf,
  malformed,
  readHeader,
  requireEqual,
  type SegmentHeader,
  sectionsAt,
  writeHeader,
} from './shape-file-header.ts';

/** SHA-256 of a byte string; injected, because the file of a large circuit holds some 250 MB. */
export type Sha256 = (bytes: Uint8Array) => Uint8Array;

const bitmapWords = (bits: number): number => (bits + 31) >>> 5;
const bytesOf = (words: Uint32Array): Uint8Array =>
  new Uint8Array(words.buffer, words.byteOffset, words.byteLength);

/** The arrays of a segment in file order. */
const arraysOf = ({ a, b, c, elementBitmap, aDensity, bDensity }: ShapeSegment): Uint32Array[] => [
  ...[a, b, c].flatMap(({ rowPointers, terms }) => [rowPointers, terms]),
  elementBitmap,
  aDensity,
  bDensity,
];

function dictionaryBytes(dictionary: readonly bigint[]): Uint8Array {
  const bytes = new Uint8Array(FR_BYTES * dictionary.length);
  dictionary.forEach((value, i) => {
    bytes.set(frToBytes(value), FR_BYTES * i);
  });
  return bytes;
}

/**
 * The file of a shape, as laid out in shape-file-header.ts. Throws RangeError where circuitId is not ASCII
 * of at most 256 characters. The host must be little-endian, as every platform with a GPU adapter is.
 */
export function encodeShape(shape: CircuitShape, sha256: Sha256): Uint8Array {
  const sections = [
    dictionaryBytes(shape.dictionary),
    bytesOf(shape.bInputDensity),
    ...shape.segments.flatMap((segment) => arraysOf(segment).map(bytesOf)),
  ];
  const header = headerOf(shape);
  let at = sectionsAt(header);
  const file = new Uint8Array(sections.reduce((sum, { length }) => sum + align(length), at));
  writeHeader(file, header);
  for (const section of sections) {
    file.set(section, at);
    at += align(section.length);
  }
  file.set(sha256(file.subarray(CHECKED_FROM)), CHECKSUM_AT);
  return file;
}

/**
 * Reads a file made by encodeShape. The arrays are views of `bytes`, which must not change afterwards; only
 * bytes that do not start at a multiple of 4 in their buffer are copied. With `sha256` the file's checksum
 * is verified; without it only sizes are. Throws CuzkError SHAPE_MALFORMED on anything that is not such a
 * file.
 */
export function decodeShape(bytes: Uint8Array, sha256?: Sha256): CircuitShape {
  const file = bytes.byteOffset % 4 === 0 ? bytes : bytes.slice();
  const header = readHeader(file);
  if (sha256 !== undefined) requireChecksum(file, sha256);
  const reader = new SectionReader(file, sectionsAt(header));
  const dictionary = readDictionary(reader.bytes(FR_BYTES * header.dictionaryEntries));
  const bInputDensity = reader.words(bitmapWords(header.inputs));
  const segments = header.segments.map((counts) => readSegment(reader, counts));
  reader.finish();
  const { circuitId, shapeDigest, inputs, aux, constraints } = header;
  const totals = { inputs, aux, constraints };
  const shape = { circuitId, shapeDigest, ...totals, dictionary, segments, bInputDensity };
  requireEqual(
    'inputs',
    inputs,
    sumOverInstances(shape, (segment) => segment.inputs),
  );
  requireEqual(
    'aux',
    aux,
    sumOverInstances(shape, (segment) => segment.aux),
  );
  requireEqual(
    'constraints',
    constraints,
    sumOverInstances(shape, (segment) => segment.rows),
  );
  return shape;
}

function requireChecksum(file: Uint8Array, sha256: Sha256): void {
  const stored = file.subarray(CHECKSUM_AT, CHECKED_FROM);
  const found = sha256(file.subarray(CHECKED_FROM));
  if (!bytesEqual(stored, found)) throw malformed('checksum', toHex(stored), toHex(found));
}

/** Hands out the sections one after the other, as views. */
class SectionReader {
  readonly #file: Uint8Array;
  #at: number;

  constructor(file: Uint8Array, at: number) {
    this.#file = file;
    this.#at = at;
  }

  bytes(length: number): Uint8Array {
    const section = this.#file.subarray(this.#at, this.#at + length);
    requireEqual('section bytes', length, section.length);
    this.#at += align(length);
    return section;
  }

  words(length: number): Uint32Array {
    const { buffer, byteOffset } = this.bytes(4 * length);
    return new Uint32Array(buffer, byteOffset, length);
  }

  /** Throws where bytes are left over. */
  finish(): void {
    requireEqual('file bytes', this.#at, this.#file.length);
  }
}

function readMatrix(reader: SectionReader, rows: number, termWords: number): TemplateMatrix {
  const rowPointers = reader.words(rows + 1);
  requireEqual('first row pointer', 0, rowPointers[0]);
  requireEqual('last row pointer', termWords, rowPointers[rows]);
  return { rowPointers, terms: reader.words(termWords) };
}

function readSegment(reader: SectionReader, header: SegmentHeader): ShapeSegment {
  const { instances, rows, inputs, aux, termWords } = header;
  const [a, b, c] = termWords.map((words) => readMatrix(reader, rows, words));
  const [elementBitmap, aDensity, bDensity] = [0, 1, 2].map(() => reader.words(bitmapWords(aux)));
  return { instances, rows, inputs, aux, a, b, c, elementBitmap, aDensity, bDensity };
}

function readDictionary(bytes: Uint8Array): bigint[] {
  return Array.from({ length: bytes.length / FR_BYTES }, (_, i) => {
    const value = frFromBytes(bytes.subarray(FR_BYTES * i, FR_BYTES * (i + 1)));
    if (value === undefined) throw malformed(`dictionary entry ${i}`, 'a value below r', 'another');
    return value;
  });
}
