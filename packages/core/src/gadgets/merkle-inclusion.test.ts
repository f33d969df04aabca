import { describe, expect, it } from 'vitest';
import { bigintFromLe } from '../bytes.ts';
import { frToBytes } from '../field/fr.ts';
import { poseidonHash } from '../hash/poseidon.ts';
import { treeDNode } from '../hash/sha256-words.ts';
import { TestCollector } from '../r1cs/test-collector.ts';
import type { PathLevel, PathValues } from './merkle-inclusion.ts';
import { enforceInclusion, enforcePublicInclusion, type PathShape } from './merkle-inclusion.ts';

const poseidonShape = (base: number, length: number, sub = 0, top = 0): PathShape => ({
  hasher: 'poseidon',
  baseArity: base,
  baseLength: length,
  subArity: sub,
  topArity: top,
});

interface Path {
  readonly leaf: bigint;
  readonly root: bigint;
  readonly position: number;
  readonly values: PathValues;
}

/** A path with made-up siblings; its root and position follow from plain hashing. */
function makePath(shape: PathShape, indices: readonly number[]): Path {
  const arities = [
    ...Array<number>(shape.baseLength).fill(shape.baseArity),
    ...[shape.subArity, shape.topArity].filter((arity) => arity > 0),
  ];
  const leaf = 123456789n;
  let [current, position, weight] = [leaf, 0, 1];
  const levels = arities.map((arity, k): PathLevel => {
    const siblings = Array.from({ length: arity - 1 }, (_, i) => BigInt(1000 * k + i));
    const nodes = siblings.toSpliced(indices[k], 0, current);
    current =
      shape.hasher === 'poseidon'
        ? poseidonHash(nodes)
        : bigintFromLe(treeDNode(frToBytes(nodes[0]), frToBytes(nodes[1])));
    position += weight * indices[k];
    weight *= arity;
    return { siblings: siblings.map(frToBytes), index: indices[k] };
  });
  const base = levels.slice(0, shape.baseLength);
  const sub = shape.subArity > 0 ? [levels[shape.baseLength]] : [];
  const top = shape.topArity > 0 ? [levels[levels.length - 1]] : [];
  return { leaf, root: current, position, values: { base, sub, top } };
}

function run(shape: PathShape, { leaf, root, values }: Path): TestCollector {
  const cs = new TestCollector();
  const leafVariable = cs.allocElement(() => leaf, 'leaf');
  const rootVariable = cs.allocElement(() => root, 'root');
  enforceInclusion(cs, shape, leafVariable, rootVariable, values, 'path');
  return cs;
}

const SHA: PathShape = { ...poseidonShape(2, 2), hasher: 'sha256' };

describe.each([
  ['8-0-0', poseidonShape(8, 2), [6, 3], 2 * 530 + 2],
  ['8-2-0', poseidonShape(8, 1, 2), [5, 1], 530 + 314 + 2],
  ['8-8-2', poseidonShape(8, 1, 8, 2), [2, 7, 1], 2 * 530 + 314 + 2],
  ['8-4-2', poseidonShape(8, 1, 4, 2), [2, 3, 0], 530 + 387 + 314 + 2],
  ['2-0-0', poseidonShape(2, 3), [1, 0, 1], 3 * 314 + 2],
  ['SHA-256', SHA, [1, 0], 2 * 45_382 + 2],
] as const)('a path in a tree of shape %s', (_, shape, indices, rows) => {
  const path = makePath(shape, indices);

  it('is satisfied and makes the leaf position public', () => {
    const cs = run(shape, path);
    expect(cs.firstUnsatisfied()).toBeUndefined();
    expect(cs.inputs).toEqual([1n, BigInt(path.position)]);
    expect(cs.constraints).toBe(rows);
  });

  it.each([
    ['root', { ...path, root: path.root + 1n }],
    ['leaf', { ...path, leaf: path.leaf + 1n }],
    [
      'index',
      {
        ...path,
        values: makePath(
          shape,
          indices.map((_, k) => (k === 0 ? 1 - (indices[0] & 1) : indices[k])),
        ).values,
      },
    ],
  ])('with another %s is not satisfied, in the last row', (_, wrong) => {
    const cs = run(shape, wrong);
    expect(cs.firstUnsatisfied()).toEqual({ row: rows - 1, path: 'path/root is correct' });
  });

  it('with another public position is not satisfied', () => {
    const cs = run(shape, path);
    cs.assign(1, BigInt(path.position + 1));
    expect(cs.firstUnsatisfied()).toEqual({ row: rows - 2, path: 'path/path/input 0' });
  });
});

it('a public root is the second input', () => {
  const shape = poseidonShape(8, 2);
  const { leaf, root, position, values } = makePath(shape, [1, 2]);
  const cs = new TestCollector();
  enforcePublicInclusion(cs, shape, { leaf, root, path: values });
  expect(cs.firstUnsatisfied()).toBeUndefined();
  expect(cs.inputs).toEqual([1n, BigInt(position), root]);
  cs.assign(2, 0n);
  expect(cs.firstUnsatisfied()?.path).toBe('root');
});

describe('a path that does not fit the shape is refused', () => {
  const shape = poseidonShape(8, 2, 2);
  const path = makePath(shape, [1, 2, 1]);
  const [first, second] = path.values.base;
  it.each<[string, PathValues]>([
    ['a level too few', { ...path.values, base: [first] }],
    ['no sub level', { ...path.values, sub: [] }],
    ['a base level in the place of the sub level', { ...path.values, sub: [second] }],
    ['an index out of range', { ...path.values, base: [{ ...first, index: 8 }, second] }],
  ])('%s', (_, values) => {
    expect(() => run(shape, { ...path, values })).toThrow(RangeError);
  });
});
