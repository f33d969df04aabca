import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { bigintFromLe, toHex } from '../bytes.ts';
import { frToBytes } from '../field/fr.ts';
import { treeDNode } from '../hash/sha256-words.ts';
import { TestCollector } from '../r1cs/test-collector.ts';
import { addMany } from './add-many.ts';
import { allocBit } from './bit.ts';
import { type Bool, boolOf, FALSE, is, not, TRUE } from './boolean.ts';
import { reverseBitNumbering } from './byte-order.ts';
import { MultiEq } from './multi-eq.ts';
import { sha256 } from './sha256.ts';
import { sha256Node } from './sha256-node.ts';
import { unboundAux } from './testing/bound-variables.ts';
import { constantWord, rotateRight, shiftRight, type UInt32, wordOf } from './uint32.ts';

const bytes = (length: number): Uint8Array =>
  Uint8Array.from({ length }, (_, i) => (37 * i + 11) % 256);

const allocBytes = (cs: TestCollector, message: Uint8Array): Bool[] =>
  [...message].flatMap((byte, i) =>
    Array.from({ length: 8 }, (_, k) =>
      is(allocBit(cs, () => ((byte >> (7 - k)) & 1) === 1, `byte ${i} bit `, k)),
    ),
  );

function bytesOf(cs: TestCollector, bits: readonly Bool[]): Uint8Array {
  return Uint8Array.from({ length: bits.length / 8 }, (_, i) =>
    bits.slice(8 * i, 8 * i + 8).reduce((byte, bit) => 2 * byte + (boolOf(cs, bit) ? 1 : 0), 0),
  );
}

const allocWord = (cs: TestCollector, value: number, name: string): UInt32 =>
  constantWord(value).map((bit, i) => is(allocBit(cs, () => bit === TRUE, name, i)));

describe('words', () => {
  it('rotate and shift to the right', () => {
    const cs = new TestCollector();
    const word = constantWord(0x80000301);
    expect(wordOf(cs, rotateRight(word, 8))).toBe(0x01800003);
    expect(wordOf(cs, shiftRight(word, 8))).toBe(0x00800003);
  });

  it.each([2, 3, 5, 8, 10])('addition of %i words keeps every carry bit', (count) => {
    const cs = new TestCollector();
    const multiEq = new MultiEq(cs);
    const operands = Array.from({ length: count }, (_, i) =>
      allocWord(cs, 0xffffffff - i, `word ${i} bit `),
    );
    const before = cs.aux.length;
    const sum = addMany(cs, multiEq, operands, 'sum');
    multiEq.flush();
    const expected = operands.reduce((total, word) => total + wordOf(cs, word), 0);
    expect(wordOf(cs, sum)).toBe(expected % 2 ** 32);
    expect(cs.aux.length - before).toBe((count * (2 ** 32 - 1)).toString(2).length);
    expect(cs.firstUnsatisfied()).toBeUndefined();
    expect(unboundAux(cs)).toEqual([]);
  });

  it('addition of constants emits nothing, of negated bits uses their complement', () => {
    const cs = new TestCollector();
    const multiEq = new MultiEq(cs);
    const constant = addMany(cs, multiEq, [constantWord(0xfffffff0), constantWord(0x20)], 'c');
    expect([wordOf(cs, constant), cs.constraints]).toEqual([0x10, 0]);
    const word = allocWord(cs, 0x12345678, 'bit ');
    const sum = addMany(cs, multiEq, [word.map(not), constantWord(1)], 'negative');
    multiEq.flush();
    expect(wordOf(cs, sum)).toBe(2 ** 32 - 0x12345678);
    expect(cs.firstUnsatisfied()).toBeUndefined();
    expect(unboundAux(cs)).toEqual([]);
  });

  it('sums are checked seven 35-bit ones at a time', () => {
    const cs = new TestCollector();
    const multiEq = new MultiEq(cs);
    const word = allocWord(cs, 5, 'bit ');
    const rowsAfter = Array.from({ length: 8 }, (_, i) => {
      addMany(cs, multiEq, Array(5).fill(word), 'sum ', i);
      return cs.constraints - 32 - 35 * (i + 1);
    });
    // 7·35 = 245 bits fit below 254, the eighth sum emits the row of the first seven behind its own bits.
    expect(rowsAfter).toEqual([0, 0, 0, 0, 0, 0, 0, 1]);
    multiEq.flush();
    multiEq.flush();
    expect(cs.constraints).toBe(32 + 35 * 8 + 2);
  });

  it('refuses one operand and eleven', () => {
    const cs = new TestCollector();
    const multiEq = new MultiEq(cs);
    for (const count of [1, 11]) {
      expect(() => addMany(cs, multiEq, Array(count).fill(constantWord(1)), 'sum')).toThrow(
        RangeError,
      );
    }
  });
});

describe('SHA-256', () => {
  it.each([0, 1, 32, 55, 56, 64, 100])('of %i bytes is the standard one', (length) => {
    const cs = new TestCollector();
    const message = bytes(length);
    const digest = sha256(cs, allocBytes(cs, message), 'sha256');
    expect(toHex(bytesOf(cs, digest))).toBe(createHash('sha256').update(message).digest('hex'));
    expect(cs.firstUnsatisfied()).toBeUndefined();
  });

  it('notices every single change of its 26,000 variables', () => {
    const cs = new TestCollector();
    sha256(cs, allocBytes(cs, bytes(32)), 'sha256');
    expect(cs.aux.length).toBeGreaterThan(25_000);
    expect(unboundAux(cs)).toEqual([]);
  });

  it('refuses a part of a byte', () => {
    expect(() => sha256(new TestCollector(), [TRUE], 'sha256')).toThrow(RangeError);
  });
});

describe('tree-D node', () => {
  const children = [bytes(32), bytes(32).reverse()].map((child) => child.with(31, 0x2a));

  function node(): { cs: TestCollector; value: bigint } {
    const cs = new TestCollector();
    const variables = children.map((child, i) =>
      cs.allocElement(() => bigintFromLe(child), 'child ', i),
    );
    return { cs, value: cs.valueOf(sha256Node(cs, variables, 'node')) };
  }

  it('is the truncated SHA-256 of both children', () => {
    const { cs, value } = node();
    expect(toHex(frToBytes(value))).toBe(toHex(treeDNode(children[0], children[1])));
    expect(cs.firstUnsatisfied()).toBeUndefined();
    expect([cs.constraints, cs.aux.length]).toEqual([45_379, 45_331 + 2]);
  });

  it('with another result is not satisfied, and the row is named', () => {
    const { cs, value } = node();
    cs.assign(cs.variableAt('node/node'), value + 1n);
    expect(cs.firstUnsatisfied()).toEqual({ row: 45_378, path: 'node/node' });
  });
});

it('bits are reversed inside bytes, after padding with FALSE', () => {
  const bits = Array.from({ length: 15 }, (_, i) => is(100 + i));
  const reversed = reverseBitNumbering(bits);
  expect(reversed.slice(0, 8)).toEqual(bits.slice(0, 8).reverse());
  expect(reversed.slice(8)).toEqual([FALSE, ...bits.slice(8).reverse()]);
  expect(reverseBitNumbering(reversed).slice(0, 15)).toEqual(bits);
});
