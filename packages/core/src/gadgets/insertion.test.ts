import { describe, expect, it } from 'vitest';
import { TestCollector } from '../r1cs/test-collector.ts';
import { allocBit } from './bit.ts';
import { is } from './boolean.ts';
import { insert, pick } from './insertion.ts';
import { unboundAux } from './testing/bound-variables.ts';

function inserted(arity: number, index: number): { cs: TestCollector; result: bigint[] } {
  const cs = new TestCollector();
  const element = cs.allocElement(() => 100n, 'element');
  const siblings = Array.from({ length: arity - 1 }, (_, i) =>
    cs.allocElement(() => BigInt(i + 1), 'sibling ', i),
  );
  const bits = Array.from({ length: Math.log2(arity) }, (_, k) =>
    is(allocBit(cs, () => ((index >> k) & 1) === 1, 'bit ', k)),
  );
  const result = insert(cs, element, bits, siblings, 'insert');
  return { cs, result: result.map((variable) => cs.valueOf(variable)) };
}

describe.each([
  [2, 2],
  [4, 8],
  [8, 22],
])('insertion among %i', (arity, rows) => {
  const positions = Array.from({ length: arity }, (_, i) => i);

  it.each(positions)('at position %i', (index) => {
    const { cs, result } = inserted(arity, index);
    const expected = positions.slice(1).map(BigInt);
    expected.splice(index, 0, 100n);
    expect(result).toEqual(expected);
    expect(cs.constraints - Math.log2(arity)).toBe(rows);
    expect(cs.firstUnsatisfied()).toBeUndefined();
    expect(unboundAux(cs)).toEqual([]);
  });
});

it('pick has its row, and holds for the picked value only', () => {
  const cs = new TestCollector();
  const x = cs.allocElement(() => 5n, 'x');
  const y = cs.allocElement(() => 6n, 'y');
  const condition = is(allocBit(cs, () => true, 'condition'));
  const picked = pick(cs, condition, x, y, 'pick');
  expect(cs.textOfRow(1)).toBe('A={w0:-1, w1:1} B={w2:1} C={w1:1, w3:-1}');
  expect(cs.valueOf(picked)).toBe(5n);
  cs.assign(picked, 6n);
  expect(cs.firstUnsatisfied()).toEqual({ row: 1, path: 'pick' });
});

it('refuses other arities and a wrong number of index bits', () => {
  const cs = new TestCollector();
  const element = cs.allocElement(() => 1n, 'element');
  expect(() => insert(cs, element, [], [element, element], 'three')).toThrow(RangeError);
  expect(() => insert(cs, element, [], [element], 'no bit')).toThrow(RangeError);
});
