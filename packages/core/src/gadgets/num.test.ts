import { describe, expect, it } from 'vitest';
import { FR_MODULUS } from '../field/fr.ts';
import { TestCollector } from '../r1cs/test-collector.ts';
import { allocBit } from './bit.ts';
import { type Bool, boolOf, FALSE, is, not, TRUE } from './boolean.ts';
import { addNums, enforceEqual, FR_BITS, inputize, toBitsLe } from './num.ts';
import { packBits, packIntoInputs } from './packing.ts';
import { unboundAux } from './testing/bound-variables.ts';
import { allocUInt64, packUInt64IntoInput } from './uint64.ts';

const VALUE = FR_MODULUS - 0x123456789abcdefn;

function bitsOf(cs: TestCollector, bits: readonly Bool[]): bigint {
  return bits.reduceRight((value, bit) => 2n * value + (boolOf(cs, bit) ? 1n : 0n), 0n);
}

describe('to_bits_le', () => {
  it('takes an element apart into 255 bits, 256 rows', () => {
    const cs = new TestCollector();
    const x = cs.allocElement(() => VALUE, 'x');
    const bits = toBitsLe(cs, x, 'bits');
    expect(bits.length).toBe(FR_BITS);
    expect(bitsOf(cs, bits)).toBe(VALUE);
    expect([cs.aux.length, cs.constraints]).toEqual([256, 256]);
    expect(cs.firstUnsatisfied()).toBeUndefined();
    expect(unboundAux(cs)).toEqual([]);
  });

  it('is not strict: the bits of value + r satisfy it too', () => {
    const cs = new TestCollector();
    const x = cs.allocElement(() => 5n, 'x');
    const bits = toBitsLe(cs, x, 'bits');
    const other = 5n + FR_MODULUS;
    bits.forEach((bit, i) => {
      cs.assign(bit >>> 1, (other >> BigInt(i)) & 1n);
    });
    expect(cs.firstUnsatisfied()).toBeUndefined();
    cs.assign(bits[0] >>> 1, (other & 1n) ^ 1n);
    expect(cs.firstUnsatisfied()).toEqual({ row: 255, path: 'bits/unpacking' });
  });
});

describe('packing', () => {
  const alloc = (cs: TestCollector, count: number): Bool[] =>
    Array.from({ length: count }, (_, i) => is(allocBit(cs, () => i % 3 !== 1, 'bit ', i)));

  it('packs at most 254 bits into one element', () => {
    const cs = new TestCollector();
    const bits = alloc(cs, 256);
    const packed = packBits(cs, bits, 'packed');
    expect(cs.valueOf(packed)).toBe(bitsOf(cs, bits.slice(0, 254)));
    expect(cs.firstUnsatisfied()).toBeUndefined();
    cs.assign(packed, 1n);
    expect(cs.firstUnsatisfied()?.path).toBe('packed');
  });

  it('folds constants and negations into the coefficient of ONE', () => {
    const cs = new TestCollector();
    const [x] = alloc(cs, 1);
    packBits(cs, [TRUE, FALSE, not(x), TRUE], 'packed');
    expect(cs.textOfRow(1)).toBe('A={ONE:13, w0:-4} B={ONE:1} C={w1:1}');
  });

  it('makes one public input for each 254 bits', () => {
    const cs = new TestCollector();
    const bits = alloc(cs, 300);
    packIntoInputs(cs, bits, 'inputs');
    expect(cs.inputs).toEqual([1n, bitsOf(cs, bits.slice(0, 254)), bitsOf(cs, bits.slice(254))]);
    expect(cs.firstUnsatisfied()).toBeUndefined();
    cs.assign(2, cs.inputs[2] + 1n);
    expect(cs.firstUnsatisfied()?.path).toBe('inputs/input 1');
  });

  it('a 64-bit integer is 64 bits and one input', () => {
    const cs = new TestCollector();
    const value = 0xfedcba9876543210n;
    packUInt64IntoInput(
      cs,
      allocUInt64(cs, () => value, 'node'),
      'node input',
    );
    expect([cs.inputs[1], cs.aux.length, cs.constraints]).toEqual([value, 64, 65]);
    expect(unboundAux(cs)).toEqual([]);
    cs.assign(1, value - 1n);
    expect(cs.firstUnsatisfied()).toEqual({ row: 64, path: 'node input/input 0' });
  });
});

describe('elements', () => {
  function two(): { cs: TestCollector; x: number; y: number } {
    const cs = new TestCollector();
    return {
      cs,
      x: cs.allocElement(() => VALUE, 'x'),
      y: cs.allocElement(() => FR_MODULUS - VALUE + 4n, 'y'),
    };
  }

  it('become public by inputize', () => {
    const { cs, x } = two();
    inputize(cs, x, 'public');
    expect(cs.textOfRow(0)).toBe('A={x1:1} B={ONE:1} C={w0:1}');
    expect(cs.inputs).toEqual([1n, VALUE]);
    cs.assign(1, 3n);
    expect(cs.firstUnsatisfied()?.path).toBe('public');
  });

  it('add modulo r', () => {
    const { cs, x, y } = two();
    const sum = addNums(cs, x, y, 'sum');
    expect(cs.textOfRow(0)).toBe('A={w0:1, w1:1} B={ONE:1} C={w2:1}');
    expect(cs.valueOf(sum)).toBe(4n);
    expect(unboundAux(cs)).toEqual([]);
  });

  it('are compared by one row', () => {
    const { cs, x, y } = two();
    enforceEqual(cs, x, y, 'equal');
    expect(cs.textOfRow(0)).toBe('A={w0:1} B={ONE:1} C={w1:1}');
    expect(cs.firstUnsatisfied()?.path).toBe('equal');
    cs.assign(y, VALUE);
    expect(cs.firstUnsatisfied()).toBeUndefined();
  });
});
