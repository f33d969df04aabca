import { sha256 } from '@noble/hashes/sha2.js';
import { describe, expect, it } from 'vitest';
import type { CuzkError } from '../errors.ts';
import type { CompactWitness } from './compact-witness.ts';
import { decodeCompactWitness, encodeCompactWitness } from './compact-witness-file.ts';

const AUX = 1000;
const witness: CompactWitness = {
  circuitId: 'test-circuit',
  shapeDigest: 'ab'.repeat(32),
  inputs: Uint8Array.from({ length: 96 }, (_, i) => i),
  bitPlane: Uint32Array.from({ length: 32 }, (_, i) => Math.imul(i + 1, 0x9e3779b9)),
  elements: Uint32Array.from({ length: 56 }, (_, i) => Math.imul(i + 1, 0x85ebca6b)),
};
const stored = { witness, aux: AUX, run: 'prf_0.r1.07.a2' };

const join = (chunks: readonly Uint8Array[]): Uint8Array => {
  const file = new Uint8Array(chunks.reduce((sum, chunk) => sum + chunk.length, 0));
  let at = 0;
  for (const chunk of chunks) {
    file.set(chunk, at);
    at += chunk.length;
  }
  return file;
};
const encode = (): Uint8Array => join(encodeCompactWitness(stored, sha256));
/** Positions: a header of 256 bytes, then 128 of inputs, 128 of bits, 256 of elements. */
const HEADER = 256;

const failure = (file: Uint8Array): CuzkError => {
  try {
    decodeCompactWitness(file, sha256);
  } catch (error) {
    return error as CuzkError;
  }
  throw new Error('expected a refusal');
};

describe('witness file', () => {
  it('comes back as written, as views of the file', () => {
    const file = encode();
    const decoded = decodeCompactWitness(file, sha256);
    expect(decoded).toEqual(stored);
    expect(decoded.witness.elements.buffer).toBe(file.buffer);
    expect(decoded.witness.bitPlane.byteOffset % 64).toBe(0);
    expect(file.length).toBe(HEADER + 128 + 128 + 256);
  });

  it('is written without copying the sections', () => {
    const chunks = encodeCompactWitness(stored, sha256);
    expect(chunks.some((chunk) => chunk.buffer === witness.elements.buffer)).toBe(true);
    expect(chunks.some((chunk) => chunk.buffer === witness.bitPlane.buffer)).toBe(true);
  });

  it.each([
    ['magic', 0, /header/, /CZWT/],
    ['version', 4, /header/, /version 1/],
    ['header length', 8, /header/, /length/],
    ['a count', 13, /header/, /checksum/],
    ['a section checksum', 40, /header/, /checksum/],
    ['the run', HEADER - 40, /header/, /checksum/],
    ['the header checksum', HEADER - 1, /header/, /checksum/],
    ['the first input', HEADER, /inputs/, /checksum/],
    ['the last input', HEADER + 95, /inputs/, /checksum/],
    ['a bit', HEADER + 128 + 60, /bits/, /checksum/],
    ['an element', HEADER + 256 + 31, /elements/, /checksum/],
  ])('a flipped bit in %s is refused by the part it hit', (_, at, part, expected) => {
    const file = encode();
    file[at] ^= 1;
    const error = failure(file);
    expect(error.code).toBe('WITNESS_MALFORMED');
    expect(error.message).toMatch(part);
    expect(error.facts.expected).toMatch(expected);
  });

  it.each([0, 8, 100, HEADER - 1, HEADER, HEADER + 300])('%i bytes of it are refused', (length) => {
    const error = failure(encode().slice(0, length));
    expect(error.code).toBe('WITNESS_MALFORMED');
  });

  it('bytes after the end are refused', () => {
    expect(failure(join([encode(), new Uint8Array(64)])).message).toMatch(/length/);
  });

  it('mistakes of the caller are RangeErrors', () => {
    const shifted = new Uint8Array(encode().length + 1).subarray(1);
    shifted.set(encode());
    expect(() => decodeCompactWitness(shifted, sha256)).toThrow(RangeError);
    expect(() => encodeCompactWitness({ ...stored, aux: AUX + 32 }, sha256)).toThrow(RangeError);
    for (const run of ['x'.repeat(257), 'é']) {
      expect(() => encodeCompactWitness({ ...stored, run }, sha256)).toThrow(/ASCII/);
    }
  });
});
