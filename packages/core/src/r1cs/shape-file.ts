import { bytesEqual, toHex } from '../bytes.ts';
import { FR_BYTES, frFromBytes, frToBytes } from '../field/fr.ts';
import type { UndigestedShape } from './compile-shape.ts';
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
  type ShapeHeader,
  sectionHash,
  sectionNames,
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

/** The sections in file order. */
const sectionsOf = (shape: UndigestedShape): Uint8Array[] => [
  dictionaryBytes(shape.dictionary),
  bytesOf(shape.bInputDensity),
  ...shape.segments.flatMap((segment) => arraysOf(segment).map(bytesOf)),
];

const fileBytes = (header: ShapeHeader, sections: readonly Uint8Array[]): number =>
  sections.reduce((sum, { length }) => sum + align(length), sectionsAt(header));

/** The size of the file that encodeShape makes of a shape. */
export const shapeFileBytes = (shape: UndigestedShape): number =>
  fileBytes(headerOf({ ...shape, shapeDigest: '' }), sectionsOf(shape));

/**
 * The file of a shape, as laid out in shape-file-header.ts. Throws RangeError where circuitId is not ASCII
 * of at most 256 characters. The host must be little-endian, as every platform with a GPU adapter is.
 */
export function encodeShape(shape: CircuitShape, sha256: Sha256): Uint8Array {
  const sections = sectionsOf(shape);
  const header = headerOf(shape);
  const file = new Uint8Array(fileBytes(header, sections));
  let at = sectionsAt(header);
  writeHeader(file, header);
  sections.forEach((section, i) => {
    file.set(section, at);
    const end = at + align(section.length);
    sectionHash(file, header, i).set(sha256(file.subarray(at, end)));
    at = end;
  });
  file.set(sha256(file.subarray(CHECKED_FROM, sectionsAt(header))), CHECKSUM_AT);
  return file;
}

/**
 * Reads a file made by encodeShape. The arrays are views of `bytes`, which must not change afterwards; only
 * bytes that do not start at a multiple of 4 in their buffer are copied. With `sha256` the checksums of header and
 * sections are verified; without it only sizes are. Throws CuzkError SHAPE_MALFORMED, with the section named, on
 * anything that is not such a file.
 */
export function decodeShape(bytes: Uint8Array, sha256?: Sha256): CircuitShape {
  // the slice of a Buffer would be a view
  const file = bytes.byteOffset % 4 === 0 ? bytes : new Uint8Array(bytes);
  const header = readHeader(file);
  const headerEnd = sectionsAt(header);
  if (sha256 !== undefined) {
    const stored = file.subarray(CHECKSUM_AT, CHECKED_FROM);
    requireHash('header', stored, sha256(file.subarray(CHECKED_FROM, headerEnd)));
  }
  const reader = new SectionReader(file, header, sha256);
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

function requireHash(what: string, stored: Uint8Array, found: Uint8Array): void {
  if (!bytesEqual(stored, found)) throw malformed(`${what}, checksum`, toHex(stored), toHex(found));
}

/** Hands out the sections one after the other, as views. */
class SectionReader {
  readonly #file: Uint8Array;
  readonly #header: ReturnType<typeof readHeader>;
  readonly #sha256: Sha256 | undefined;
  readonly #names: readonly string[];
  #next = 0;
  #at: number;

  constructor(file: Uint8Array, header: ReturnType<typeof readHeader>, sha256: Sha256 | undefined) {
    this.#file = file;
    this.#header = header;
    this.#sha256 = sha256;
    this.#names = sectionNames(header.segments.length);
    this.#at = sectionsAt(header);
  }

  bytes(length: number): Uint8Array {
    const section = this.#file.subarray(this.#at, this.#at + length);
    const name = `section ${this.#names[this.#next]}`;
    requireEqual(`${name}, bytes`, length, section.length);
    const end = this.#at + align(length);
    if (this.#sha256 !== undefined) {
      const found = this.#sha256(this.#file.subarray(this.#at, end));
      requireHash(name, sectionHash(this.#file, this.#header, this.#next), found);
    }
    this.#next += 1;
    this.#at = end;
    return section;
  }

  words(length: number): Uint32Array {
    const { buffer, byteOffset } = this.bytes(4 * length);
    return new Uint32Array(buffer, byteOffset, length);
  }

  /** Throws where bytes are left over, or are none where the header says so. */
  finish(): void {
    requireEqual('file bytes', this.#at, this.#header.fileBytes);
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
