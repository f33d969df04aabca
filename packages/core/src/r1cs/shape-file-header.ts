import { fromHex, toHex } from '../bytes.ts';
import { CuzkError } from '../errors.ts';
import type { CircuitShape } from './shape.ts';

/*
 * The file form of a compiled circuit, `CZSH` version 2. Little-endian words; the header and every section
 * take a multiple of 64 bytes, filled up with zeros, so that the arrays can be used in place.
 *
 *   header    "CZSH", version                                              2 × u32
 *             SHA-256 of the header behind this field                      32
 *             file bytes / 64, segments, inputs, aux, constraints,
 *             dictionary entries, bytes of circuitId                       7 × u32
 *             shapeDigest                                                  32
 *             circuitId in ASCII, filled up to words
 *             for each segment: instances, rows, inputs, aux and the
 *             words of the terms of A, B and C                             7 × u32
 *             SHA-256 of each section, zeros behind it included            32 each
 *   sections  dictionary, 32 bytes each; bInputDensity; then for each segment the rowPointers and terms
 *             of A, B and C, elementBitmap, aDensity, bDensity
 */
const MAGIC = 0x48535a43;
const VERSION = 2;
const ALIGNMENT = 64;
export const CHECKSUM_AT = 8;
export const CHECKED_FROM = CHECKSUM_AT + 32;
const COUNTS_AT = CHECKED_FROM;
const COUNTS = 7;
const DIGEST_AT = COUNTS_AT + 4 * COUNTS;
const NAME_AT = DIGEST_AT + 32;
const SEGMENT_WORDS = 7;
const MAX_NAME_BYTES = 256;
const MAX_SEGMENTS = 16;
const HASH_BYTES = 32;

export interface SegmentHeader {
  readonly instances: number;
  readonly rows: number;
  readonly inputs: number;
  readonly aux: number;
  /** Words of the terms of A, B and C. */
  readonly termWords: readonly number[];
}

export interface ShapeHeader {
  readonly circuitId: string;
  readonly shapeDigest: string;
  readonly inputs: number;
  readonly aux: number;
  readonly constraints: number;
  readonly dictionaryEntries: number;
  readonly segments: readonly SegmentHeader[];
}

/** The next multiple of the alignment. */
export const align = (bytes: number): number => Math.ceil(bytes / ALIGNMENT) * ALIGNMENT;

const segmentsAt = (nameBytes: number): number => NAME_AT + 4 * Math.ceil(nameBytes / 4);

/** Names of the sections in file order. */
export const sectionNames = (segments: number): string[] => [
  'dictionary',
  'bInputDensity',
  ...Array.from({ length: segments }, (_, i) =>
    [
      ...['A', 'B', 'C'].flatMap((matrix) => [`${matrix} rowPointers`, `${matrix} terms`]),
      ...['elementBitmap', 'aDensity', 'bDensity'],
    ].map((name) => `segment ${i} ${name}`),
  ).flat(),
];

const hashesAt = (nameBytes: number, segments: number): number =>
  segmentsAt(nameBytes) + 4 * SEGMENT_WORDS * segments;

/** Where the sections begin. */
export const sectionsAt = ({ circuitId, segments }: ShapeHeader): number =>
  align(
    hashesAt(circuitId.length, segments.length) + HASH_BYTES * sectionNames(segments.length).length,
  );

/** The SHA-256 of section number `index`, in the file. */
export const sectionHash = (
  file: Uint8Array,
  { circuitId, segments }: ShapeHeader,
  index: number,
): Uint8Array => {
  const at = hashesAt(circuitId.length, segments.length) + HASH_BYTES * index;
  return file.subarray(at, at + HASH_BYTES);
};

export const headerOf = (shape: CircuitShape): ShapeHeader => ({
  circuitId: shape.circuitId,
  shapeDigest: shape.shapeDigest,
  inputs: shape.inputs,
  aux: shape.aux,
  constraints: shape.constraints,
  dictionaryEntries: shape.dictionary.length,
  segments: shape.segments.map(({ instances, rows, inputs, aux, a, b, c }) => ({
    instances,
    rows,
    inputs,
    aux,
    termWords: [a, b, c].map(({ terms }) => terms.length),
  })),
});

/**
 * Writes the header of `file`, all but the checksums. Throws RangeError where circuitId is not ASCII of at
 * most 256 characters or shapeDigest not 32 bytes in hex.
 */
export function writeHeader(file: Uint8Array, header: ShapeHeader): void {
  const { circuitId, segments, inputs, aux, constraints, dictionaryEntries } = header;
  if (circuitId.length > MAX_NAME_BYTES || !/^[\x20-\x7e]*$/.test(circuitId)) {
    throw new RangeError(`circuitId: expected ASCII of at most ${MAX_NAME_BYTES} characters`);
  }
  const digest = fromHex(header.shapeDigest);
  if (digest.length !== 32) throw new RangeError('shapeDigest: expected 32 bytes in hex');
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const putWords = (at: number, words: readonly number[]): void => {
    for (const [i, word] of words.entries()) view.setUint32(at + 4 * i, word, true);
  };
  putWords(0, [MAGIC, VERSION]);
  const blocks = file.length / ALIGNMENT;
  const counts = [segments.length, inputs, aux, constraints, dictionaryEntries, circuitId.length];
  putWords(COUNTS_AT, [blocks, ...counts]);
  file.set(digest, DIGEST_AT);
  for (let i = 0; i < circuitId.length; i++) file[NAME_AT + i] = circuitId.charCodeAt(i);
  segments.forEach(({ instances, rows, inputs, aux, termWords }, i) => {
    const at = segmentsAt(circuitId.length) + 4 * SEGMENT_WORDS * i;
    putWords(at, [instances, rows, inputs, aux, ...termWords]);
  });
}

/** Reads a header; the file is at least as long as that. Throws CuzkError SHAPE_MALFORMED. */
export function readHeader(file: Uint8Array): ShapeHeader & { readonly fileBytes: number } {
  if (file.length < NAME_AT) throw malformed('length', `at least ${NAME_AT} bytes`, file.length);
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const words = (at: number, count: number): number[] =>
    Array.from({ length: count }, (_, i) => view.getUint32(at + 4 * i, true));
  const [magic, version] = words(0, 2);
  requireEqual('magic', MAGIC, magic);
  requireEqual('version', VERSION, version);
  const [blocks, segmentCount, inputs, aux, constraints, dictionaryEntries, nameBytes] = words(
    COUNTS_AT,
    COUNTS,
  );
  requireAtMost('circuitId bytes', MAX_NAME_BYTES, nameBytes);
  requireAtMost('segments', MAX_SEGMENTS, segmentCount);
  const hashBytes = HASH_BYTES * sectionNames(segmentCount).length;
  requireAtMost('header bytes', file.length, align(hashesAt(nameBytes, segmentCount) + hashBytes));
  const segments = Array.from({ length: segmentCount }, (_, i): SegmentHeader => {
    const at = segmentsAt(nameBytes) + 4 * SEGMENT_WORDS * i;
    const [instances, rows, inputs, aux, ...termWords] = words(at, SEGMENT_WORDS);
    return { instances, rows, inputs, aux, termWords };
  });
  return {
    circuitId: String.fromCharCode(...file.subarray(NAME_AT, NAME_AT + nameBytes)),
    shapeDigest: toHex(file.subarray(DIGEST_AT, NAME_AT)),
    inputs,
    aux,
    constraints,
    dictionaryEntries,
    segments,
    fileBytes: blocks * ALIGNMENT,
  };
}

/** The error of every reader of such a file. */
export const malformed = (what: string, expected: unknown, found: unknown): CuzkError =>
  new CuzkError('SHAPE_MALFORMED', `The shape file is damaged: ${what}.`, {
    expected: String(expected),
    found: String(found),
    action: 'Delete the file; it is compiled again when it is needed.',
  });

export function requireEqual(what: string, expected: number, found: number): void {
  if (expected !== found) throw malformed(what, expected, found);
}

function requireAtMost(what: string, limit: number, found: number): void {
  if (found > limit) throw malformed(what, `at most ${limit}`, found);
}
