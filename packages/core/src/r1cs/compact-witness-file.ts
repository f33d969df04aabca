import { bytesEqual } from '../bytes.ts';
import { CuzkError } from '../errors.ts';
import { FR_BYTES } from '../field/fr.ts';
import type { CompactWitness } from './compact-witness.ts';

/*
 * The file form of a compact witness, `CZWT` version 1. Little-endian; the header and every section take
 * a multiple of 64 bytes, filled up with zeros that readers ignore, so that the sections can be used in place.
 *
 *   header    "CZWT", version, header bytes                                      3 × u32
 *             inputs, aux, elements                                              3 × u32
 *             lengths of circuitId, shapeDigest, run                             3 × u32
 *             SHA-256 of the sections inputs, bits, elements (without filling)   3 × 32
 *             circuitId, shapeDigest, run as ASCII, zeros
 *             SHA-256 of the header before this field                            32
 *   inputs    32 bytes each
 *   bits      ceil(aux / 32) words
 *   elements  32 bytes each
 */
const MAGIC = 0x54575a43;
const VERSION = 1;
const ALIGNMENT = 64;
const CHECKSUM_BYTES = 32;
const SECTIONS = ['inputs', 'bits', 'elements'] as const;
const COUNTS_AT = 12;
const LENGTHS_AT = 24;
const CHECKSUMS_AT = 36;
const NAMES_AT = CHECKSUMS_AT + SECTIONS.length * CHECKSUM_BYTES;
const MAX_NAME_BYTES = 256;
const MAX_HEADER_BYTES = 1024;

/** SHA-256 of a byte string; injected, because the sections of a large circuit hold some 70 MB. */
export type Sha256 = (bytes: Uint8Array) => Uint8Array;

export interface StoredWitness {
  readonly witness: CompactWitness;
  /** Number of aux variables, which the bit plane tells only up to a word. */
  readonly aux: number;
  /** What the writer calls the run that made it, for people and for fencing: at most 256 ASCII characters. */
  readonly run: string;
}

const align = (bytes: number): number => Math.ceil(bytes / ALIGNMENT) * ALIGNMENT;
const viewOf = (bytes: Uint8Array): DataView =>
  new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
const bytesOfWords = (words: Uint32Array): Uint8Array =>
  new Uint8Array(words.buffer, words.byteOffset, words.byteLength);

function asciiBytes(name: string): Uint8Array {
  if (name.length > MAX_NAME_BYTES || !/^[\x20-\x7e]*$/.test(name)) {
    throw new RangeError(
      `witness file: a name must be ASCII of at most ${MAX_NAME_BYTES} characters`,
    );
  }
  return Uint8Array.from(name, (character) => character.charCodeAt(0));
}

/** The zeros after a section of this size. */
const filling = (bytes: number): Uint8Array => new Uint8Array(align(bytes) - bytes);

/**
 * The file as consecutive chunks, so that it can be written without copying the sections: they share
 * memory with `witness`. Throws RangeError where a name is not short ASCII or the bit plane does not hold
 * `aux` bits.
 */
export function encodeCompactWitness(stored: StoredWitness, sha256: Sha256): Uint8Array[] {
  const { witness, aux, run } = stored;
  const { inputs, bitPlane, elements } = witness;
  if (bitPlane.length !== Math.ceil(aux / 32)) {
    throw new RangeError(`witness file: ${bitPlane.length} words of bits do not hold ${aux} aux`);
  }
  const sections = [inputs, bytesOfWords(bitPlane), bytesOfWords(elements)];
  const names = [witness.circuitId, witness.shapeDigest, run].map(asciiBytes);
  const nameBytes = names.reduce((sum, name) => sum + name.length, 0);
  const header = new Uint8Array(align(NAMES_AT + nameBytes + CHECKSUM_BYTES));
  const words = [
    ...[MAGIC, VERSION, header.length],
    ...[inputs.length / FR_BYTES, aux, elements.byteLength / FR_BYTES],
    ...names.map((name) => name.length),
  ];
  for (const [i, word] of words.entries()) viewOf(header).setUint32(4 * i, word, true);
  let at = CHECKSUMS_AT;
  for (const part of [...sections.map((section) => sha256(section)), ...names]) {
    header.set(part, at);
    at += part.length;
  }
  const body = header.length - CHECKSUM_BYTES;
  header.set(sha256(header.subarray(0, body)), body);
  const chunks = sections.flatMap((section) => [section, filling(section.length)]);
  return [header, ...chunks].filter(({ length }) => length > 0);
}

function malformed(part: string, expected: string, found: string): CuzkError {
  return new CuzkError('WITNESS_MALFORMED', `witness file: ${part} is damaged`, {
    expected,
    found,
    action: 'make the witness again',
  });
}

function requireChecksum(
  part: string,
  bytes: Uint8Array,
  stored: Uint8Array,
  sha256: Sha256 | null,
): void {
  if (sha256 !== null && !bytesEqual(sha256(bytes), stored)) {
    throw malformed(part, 'the checksum of the header', 'other bytes');
  }
}

/** The header's bytes, its own checksum checked. */
function takeHeader(file: Uint8Array, sha256: Sha256 | null): Uint8Array {
  const view = viewOf(file);
  if (file.length < NAMES_AT) {
    throw malformed('header', `at least ${NAMES_AT} bytes`, `${file.length}`);
  }
  if (view.getUint32(0, true) !== MAGIC) throw malformed('header', 'magic CZWT', 'another');
  const version = view.getUint32(4, true);
  if (version !== VERSION) throw malformed('header', `version ${VERSION}`, `${version}`);
  const length = view.getUint32(8, true);
  if (length % ALIGNMENT !== 0 || length < NAMES_AT + CHECKSUM_BYTES || length > MAX_HEADER_BYTES) {
    throw malformed('header', 'a plausible length', `${length}`);
  }
  if (file.length < length) throw malformed('header', `${length} bytes`, `${file.length}`);
  const header = file.subarray(0, length);
  const body = length - CHECKSUM_BYTES;
  requireChecksum('header', header.subarray(0, body), header.subarray(body), sha256);
  return header;
}

function takeNames(header: Uint8Array): string[] {
  const view = viewOf(header);
  let at = NAMES_AT;
  return SECTIONS.map((_, i) => {
    const length = view.getUint32(LENGTHS_AT + 4 * i, true);
    const name = header.subarray(at, at + length);
    at += length;
    if (at > header.length - CHECKSUM_BYTES) {
      throw malformed('header', 'names inside the header', `${length} characters`);
    }
    return String.fromCharCode(...name);
  });
}

/**
 * A stored witness from the bytes of its file: checks the length and every checksum, and returns views
 * of `file`, which must not change while they are in use. `sha256` is null where the file as a whole has been compared
 * with its digest: the checksums of the sections would be the same work again. Throws CuzkError WITNESS_MALFORMED
 * naming the damaged part, and RangeError where `file` does not begin at a multiple of 4 in its buffer. Whether the
 * witness belongs to a circuit is the caller's to compare.
 */
export function decodeCompactWitness(file: Uint8Array, sha256: Sha256 | null): StoredWitness {
  if (file.byteOffset % 4 !== 0) {
    throw new RangeError('witness file: expected bytes that begin at a multiple of 4');
  }
  const header = takeHeader(file, sha256);
  const [inputs, aux, elements] = [0, 1, 2].map((i) =>
    viewOf(header).getUint32(COUNTS_AT + 4 * i, true),
  );
  const sizes = [FR_BYTES * inputs, 4 * Math.ceil(aux / 32), FR_BYTES * elements];
  const expectedLength = sizes.reduce((sum, size) => sum + align(size), header.length);
  if (file.length !== expectedLength) {
    throw malformed('length', `${expectedLength} bytes`, `${file.length}`);
  }
  let at = header.length;
  const sections = sizes.map((size, i) => {
    const section = file.subarray(at, at + size);
    const stored = header.subarray(CHECKSUMS_AT + CHECKSUM_BYTES * i).subarray(0, CHECKSUM_BYTES);
    requireChecksum(SECTIONS[i], section, stored, sha256);
    at += align(size);
    return section;
  });
  const [circuitId, shapeDigest, run] = takeNames(header);
  const wordsOf = ({ buffer, byteOffset, byteLength }: Uint8Array): Uint32Array =>
    new Uint32Array(buffer, byteOffset, byteLength / 4);
  const witness = {
    circuitId,
    shapeDigest,
    inputs: sections[0],
    bitPlane: wordsOf(sections[1]),
    elements: wordsOf(sections[2]),
  };
  return { witness, aux, run };
}
