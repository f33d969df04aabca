import { describe, expect, it } from 'vitest';
import { FR_MODULUS, frToBytes } from '../field/fr.ts';
import { hasBit } from './bitmap.ts';
import { WitnessSink } from './witness-sink.ts';

const counts = (inputs: number, aux: number, elements: number) => ({ inputs, aux, elements });

describe('witness sink', () => {
  it('packs bits of any length at any offset, least significant first', () => {
    const expected: number[] = [];
    const aux = (33 * 32) / 2 + 32 * 33 + 32;
    const sink = new WitnessSink(counts(1, aux, 0));
    const send = (word: number, count: number): void => {
      sink.bits(word, count);
      for (let i = 0; i < count; i++) expected.push((word >>> i) & 1);
    };
    for (let count = 0; count <= 32; count++) send(Math.imul(count + 1, 0x9e3779b9), count);
    for (let offset = 0; offset < 32; offset++) {
      send(offset, 1);
      send(0x80000001 | (offset << 8), 32);
    }
    for (let i = 0; i < 32; i++) {
      sink.bit(i & 1);
      expected.push(i & 1);
    }
    const { bitPlane } = sink.finish('c', 'd');
    expect(expected.length).toBe(aux);
    expect(expected.map((_, j) => Number(hasBit(bitPlane, j)))).toEqual(expected);
  });

  it('ignores what stands above the bits asked for', () => {
    const sink = new WitnessSink(counts(1, 40, 0));
    sink.bits(0xffffffff, 3);
    sink.bits(0, 32);
    sink.bits(0xffffffff, 5);
    expect([...sink.finish('c', 'd').bitPlane]).toEqual([0b111, 0b11111000]);
  });

  it('keeps elements apart, leaves zeros in the plane and marks their places', () => {
    const marks = new Uint32Array(2);
    const sink = new WitnessSink(counts(3, 38, 4), marks);
    sink.word(0xffffffff);
    const first = sink.element(FR_MODULUS - 1n);
    const second = sink.elementBytes(frToBytes(12345n << 200n));
    const third = sink.copyElement(first);
    const fourth = sink.reserveElements(1);
    sink.bits(3, 2);
    sink.input(7n);
    sink.input(FR_MODULUS - 2n);
    expect([first, second, third, fourth]).toEqual([0, 1, 2, 3]);
    expect(sink.sameElement(first, third)).toBe(true);
    expect(sink.sameElement(first, second)).toBe(false);
    expect([first, second, third, fourth].map((ref) => sink.elementValue(ref))).toEqual([
      FR_MODULUS - 1n,
      12345n << 200n,
      FR_MODULUS - 1n,
      0n,
    ]);
    const witness = sink.finish('circuit', 'digest');
    expect([...witness.bitPlane]).toEqual([0xffffffff, 0b110000]);
    expect([...marks]).toEqual([0, 0b1111]);
    expect(witness.inputs).toEqual(
      Uint8Array.from([1n, 7n, FR_MODULUS - 2n].flatMap((value) => [...frToBytes(value)])),
    );
    expect([witness.circuitId, witness.shapeDigest]).toEqual(['circuit', 'digest']);
  });

  it.each([
    ['inputs', counts(2, 33, 1)],
    ['aux', counts(1, 34, 1)],
    ['aux', counts(1, 32, 1)],
    ['elements', counts(1, 33, 2)],
  ])('refuses to finish with other %s than promised', (what, promised) => {
    const sink = new WitnessSink(promised);
    sink.word(1);
    sink.element(1n);
    expect(() => sink.finish('c', 'd')).toThrow(new RegExp(`^${what}: `));
  });

  it('refuses an element that is not 32 bytes', () => {
    const sink = new WitnessSink(counts(1, 1, 1));
    expect(() => sink.elementBytes(new Uint8Array(31))).toThrow(RangeError);
  });
});
