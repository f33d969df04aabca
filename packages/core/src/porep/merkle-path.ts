import { bytesEqual } from '../bytes.ts';
import type { MerklePath, PathElement } from './partition-input.ts';

/** Hash of the children of a node, left to right. */
export type NodeHash = (children: readonly Uint8Array[]) => Uint8Array;

/** Computes the root that a path leads to from a leaf. */
export type PathRoot = (leaf: Uint8Array, path: MerklePath) => Uint8Array;

/** Levels below the root whose nodes are remembered: at most 1 + 8 + 64 + 512 of them. */
const REMEMBERED_LEVELS = 4;

const elementsOf = (path: MerklePath): PathElement[] => [...path.base, ...path.sub, ...path.top];

/** Position of the leaf that a path starts from (spec §2.3): its indices are digits, lowest first. */
export function leafPosition(path: MerklePath): number {
  let position = 0;
  let weight = 1;
  for (const { index, siblings } of elementsOf(path)) {
    position += index * weight;
    weight *= siblings.length + 1;
  }
  return position;
}

function childrenOf(node: Uint8Array, { index, siblings }: PathElement): Uint8Array[] {
  return [...siblings.slice(0, index), node, ...siblings.slice(index)];
}

/** The root by hashing every level. */
export function pathRootPlain(leaf: Uint8Array, path: MerklePath, hash: NodeHash): Uint8Array {
  return elementsOf(path).reduce((node, element) => hash(childrenOf(node, element)), leaf);
}

/**
 * The same for many paths of one tree: nodes near the root occur in nearly every path, so their children and
 * hash are kept and the hash is taken from there where all children are the same bytes.
 */
export function rememberingPathRoot(hash: NodeHash): PathRoot {
  const known = new Map<string, { children: Uint8Array[]; hash: Uint8Array }>();
  return (leaf, path) => {
    const elements = elementsOf(path);
    let node = leaf;
    elements.forEach((element, level) => {
      const children = childrenOf(node, element);
      if (elements.length - level > REMEMBERED_LEVELS) {
        node = hash(children);
        return;
      }
      const place = elements
        .slice(level + 1)
        .map(({ index }) => index)
        .join();
      const entry = known.get(place);
      if (entry?.children.every((child, i) => bytesEqual(child, children[i]))) {
        node = entry.hash;
        return;
      }
      node = hash(children);
      known.set(place, { children, hash: node });
    });
    return node;
  };
}
