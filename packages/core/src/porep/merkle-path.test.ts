import { expect, it } from 'vitest';
import { leafPosition, pathRootPlain, rememberingPathRoot } from './merkle-path.ts';
import { sparseTree } from './synthetic/sparse-tree.ts';
import { nodeHashes } from './testing/node-hashes.ts';
import { madeUpFr } from './testing/seal-sector.ts';

const hash = (children: readonly Uint8Array[]) =>
  nodeHashes.sha256(Uint8Array.from(children.flatMap((child) => [...child])));
const tree = sparseTree(
  new Map([3, 500, 1023, 2047].map((node) => [node, madeUpFr(`leaf ${node}`)])),
  { base: 8, sub: 4, top: 8 },
  2,
  hash,
  (level, index) => madeUpFr(`filler ${level} ${index}`),
);

it('finds position and root of paths through base, sub and top', () => {
  const rootOf = rememberingPathRoot(hash);
  for (const node of [3, 500, 3, 1023, 2047, 0, 700]) {
    const path = tree.path(node);
    expect(leafPosition(path)).toBe(node);
    expect([path.base.length, path.sub.length, path.top.length]).toEqual([2, 1, 1]);
    const plain = pathRootPlain(tree.leaf(node), path, hash);
    expect(rootOf(tree.leaf(node), path)).toEqual(plain);
    if (node !== 0 && node !== 700) expect(plain).toEqual(tree.root);
  }
});

it('hashes shared upper levels once, and again where any child differs', () => {
  let hashed = 0;
  const rootOf = rememberingPathRoot((children) => {
    hashed++;
    return hash(children);
  });
  const path = tree.path(500);
  rootOf(tree.leaf(500), path);
  expect(hashed).toBe(4);
  rootOf(tree.leaf(500), path);
  expect(hashed).toBe(4);
  const [top] = path.top;
  const siblings = top.siblings.with(6, madeUpFr('other'));
  const wrong = { ...path, top: [{ ...top, siblings }] };
  expect(rootOf(tree.leaf(500), wrong)).not.toEqual(tree.root);
  expect(hashed).toBe(5);
  expect(rootOf(tree.leaf(500), path)).toEqual(tree.root);
});
