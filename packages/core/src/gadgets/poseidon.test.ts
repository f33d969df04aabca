import { describe, expect, it } from 'vitest';
import { poseidonHashPlain } from '../hash/poseidon.ts';
import { TestCollector } from '../r1cs/test-collector.ts';
import { goldenText } from '../r1cs/testing/golden-shape.ts';
import type { Variable } from '../r1cs/variable.ts';
import { columnHash, poseidon } from './poseidon.ts';
import { poseidon2Circuit } from './small-circuits.ts';
import { unboundAux } from './testing/bound-variables.ts';

const alloc = (cs: TestCollector, values: readonly bigint[]): Variable[] =>
  values.map((value, i) => cs.allocElement(() => value, 'preimage ', i));
const preimage = (arity: number): bigint[] =>
  Array.from({ length: arity }, (_, i) => 7n ** BigInt(80 + i) % 2n ** 254n);

describe.each([
  [2, 311],
  [4, 377],
  [8, 505],
  [11, 598],
])('Poseidon of %i elements', (arity, rows) => {
  it(`is the plain hash, in ${rows} rows`, () => {
    const cs = new TestCollector();
    const digest = poseidon(cs, alloc(cs, preimage(arity)), 'hash');
    expect(cs.valueOf(digest)).toBe(poseidonHashPlain(preimage(arity)));
    expect([cs.constraints, cs.aux.length - arity]).toEqual([rows, rows]);
    expect(cs.firstUnsatisfied()).toBeUndefined();
    expect(unboundAux(cs)).toEqual([]);
  });

  it('with another digest is not satisfied', () => {
    const cs = new TestCollector();
    const digest = poseidon(cs, alloc(cs, preimage(arity)), 'hash');
    cs.assign(digest, 1n);
    expect(cs.firstUnsatisfied()).toEqual({ row: rows - 1, path: `hash/step ${rows - 1}` });
  });
});

it('takes preimage variables in any order, and the same one twice', () => {
  const cs = new TestCollector();
  const [x, y] = alloc(cs, [3n, 4n]);
  expect(cs.valueOf(poseidon(cs, [y, x], 'swapped'))).toBe(poseidonHashPlain([4n, 3n]));
  expect(cs.valueOf(poseidon(cs, [x, x], 'twice'))).toBe(poseidonHashPlain([3n, 3n]));
  expect(cs.firstUnsatisfied()).toBeUndefined();
});

it('has the golden rows at arity 2', () => {
  const cs = new TestCollector();
  poseidon2Circuit({ a: 1n, b: 2n }).preamble(cs);
  const golden = goldenText('small/poseidon2-rows.txt.gz').trimEnd().split('\n');
  const rows = golden.map((_, row) => `${row}: ${cs.textOfRow(row)}`);
  expect(rows).toEqual(golden);
  expect(cs.constraints).toBe(golden.length);
});

it('refuses other lengths, and columns other than 2 and 11 high', () => {
  const cs = new TestCollector();
  expect(() => poseidon(cs, alloc(cs, [1n, 2n, 3n]), 'hash')).toThrow(RangeError);
  const other = new TestCollector();
  expect(() => columnHash(other, alloc(other, preimage(8)), 'column')).toThrow(RangeError);
});
