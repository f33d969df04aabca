import { describe, expect, it } from 'vitest';
import type { CuzkError } from '../errors.ts';
import { compileShape } from './compile-shape.ts';
import type { CircuitShape } from './shape.ts';
import { decodeShape, encodeShape, shapeFileBytes } from './shape-file.ts';
import { align, sectionNames } from './shape-file-header.ts';
import { blake2s, sha256 } from './testing/golden-shape.ts';
import { sampleCircuit } from './testing/sample-circuit.ts';

const shape: CircuitShape = compileShape(sampleCircuit(3), blake2s());
const file = encodeShape(shape, sha256);

function codeOf(read: () => unknown): string {
  try {
    read();
  } catch (error) {
    return (error as CuzkError).code;
  }
  return 'no error';
}

/** Where the sections lie in the file: its arrays are views of it. */
function sectionPlaces(): { at: number; length: number }[] {
  const { segments, bInputDensity, dictionary } = decodeShape(file);
  const arrays = [
    bInputDensity,
    ...segments.flatMap(({ a, b, c, elementBitmap, aDensity, bDensity }) => [
      ...[a, b, c].flatMap(({ rowPointers, terms }) => [rowPointers, terms]),
      ...[elementBitmap, aDensity, bDensity],
    ]),
  ];
  const places = arrays.map(({ byteOffset, byteLength }) => ({
    at: byteOffset - file.byteOffset,
    length: byteLength,
  }));
  const length = 32 * dictionary.length;
  return [{ at: places[0].at - align(length), length }, ...places];
}

describe('a shape file', () => {
  it('gives back the shape', () => {
    expect(decodeShape(file, sha256)).toEqual(shape);
    expect(file.length % 64).toBe(0);
    expect(shapeFileBytes(shape)).toBe(file.length);
  });

  it('is read in place', () => {
    const { segments } = decodeShape(file);
    for (const { a, elementBitmap } of segments) {
      expect(a.terms.buffer).toBe(file.buffer);
      expect(elementBitmap.buffer).toBe(file.buffer);
      expect(a.rowPointers.byteOffset % 64).toBe(0);
    }
  });

  it('is read at any offset of a larger buffer', () => {
    for (const offset of [4, 5]) {
      const larger = new Uint8Array(file.length + 8);
      larger.set(file, offset);
      // a Buffer slices differently
      for (const whole of [larger, Buffer.from(larger)]) {
        const part = whole.subarray(offset, offset + file.length);
        expect(decodeShape(part, sha256)).toEqual(shape);
      }
    }
  });

  it('keeps a circuitId of any length up to 256 ASCII characters', () => {
    for (const circuitId of ['', 'a', 'abcd', 'x'.repeat(256)]) {
      expect(decodeShape(encodeShape({ ...shape, circuitId }, sha256), sha256).circuitId).toBe(
        circuitId,
      );
    }
    for (const circuitId of ['x'.repeat(257), 'é']) {
      expect(() => encodeShape({ ...shape, circuitId }, sha256)).toThrow(RangeError);
    }
  });

  it('with any byte changed is SHAPE_MALFORMED', () => {
    // Every byte of the header, then a sample: all bytes behind it are covered by the checksum alike.
    for (let at = 0; at < file.length; at += at < 320 ? 1 : 97) {
      const damaged = file.with(at, file[at] ^ 0x10);
      expect(
        codeOf(() => decodeShape(damaged, sha256)),
        `byte ${at}`,
      ).toBe('SHAPE_MALFORMED');
    }
  });

  it('of another length is SHAPE_MALFORMED, also without the checksum', () => {
    const longer = new Uint8Array(file.length + 64);
    longer.set(file);
    for (const damaged of [
      new Uint8Array(0),
      file.subarray(0, 60),
      file.subarray(0, file.length - 64),
      longer,
    ]) {
      expect(codeOf(() => decodeShape(damaged))).toBe('SHAPE_MALFORMED');
    }
  });

  it('that is cut off, or has a flipped bit or another section in a section, is refused with that named', () => {
    const whatIsWrong = (damaged: Uint8Array): string => {
      try {
        decodeShape(damaged, sha256);
      } catch (error) {
        return (error as CuzkError).message;
      }
      return 'nothing';
    };
    const places = sectionPlaces();
    const names = sectionNames(shape.segments.length);
    expect(places).toHaveLength(names.length);
    places.forEach(({ at, length }, i) => {
      if (length === 0) return;
      const inSection = `section ${names[i]},`;
      const flipped = file.with(at + (length >> 1), file[at + (length >> 1)] ^ 1);
      expect(whatIsWrong(flipped)).toContain(inSection);
      expect(whatIsWrong(file.subarray(0, at + length - 1))).toContain(inSection);
    });
    const [aTerms, bTerms] = [3, 5].map((i) => places[i]);
    const shorter = Math.min(aTerms.length, bTerms.length);
    const swapped = file.slice();
    swapped.set(file.subarray(bTerms.at, bTerms.at + shorter), aTerms.at);
    swapped.set(file.subarray(aTerms.at, aTerms.at + shorter), bTerms.at);
    expect(whatIsWrong(swapped)).toContain('section segment 0 A terms,');
  });

  it('whose counts contradict its arrays is SHAPE_MALFORMED', () => {
    const wrong: CircuitShape[] = [
      { ...shape, aux: shape.aux + 1 },
      { ...shape, inputs: shape.inputs + 1 },
      { ...shape, constraints: shape.constraints - 1 },
      { ...shape, segments: [shape.segments[0], { ...shape.segments[1], instances: 4 }] },
      { ...shape, segments: [shape.segments[0]] },
    ];
    for (const contradictory of wrong) {
      const damaged = encodeShape(contradictory, sha256);
      expect(codeOf(() => decodeShape(damaged, sha256))).toBe('SHAPE_MALFORMED');
    }
  });

  it('of a later version is SHAPE_MALFORMED', () => {
    expect(codeOf(() => decodeShape(file.with(4, 3)))).toBe('SHAPE_MALFORMED');
  });
});
