import { bigintFromLe } from '../bytes.ts';
import type { ConstraintSystem } from '../r1cs/constraint-system.ts';
import { unknownValue } from '../r1cs/constraint-system.ts';
import type { Variable } from '../r1cs/variable.ts';
import { allocBit } from './bit.ts';
import { type Bool, is } from './boolean.ts';
import { insert } from './insertion.ts';
import { enforceEqual, inputize } from './num.ts';
import { packIntoInputs } from './packing.ts';
import { poseidon } from './poseidon.ts';
import { sha256Node } from './sha256-node.ts';

/** What a path looks like without values. Arities are 2, 4 or 8; arity 0 means that the section is empty. */
export interface PathShape {
  readonly hasher: 'sha256' | 'poseidon';
  readonly baseArity: number;
  readonly baseLength: number;
  readonly subArity: number;
  readonly topArity: number;
}

/** One level: arity − 1 siblings (32 bytes LE each) left to right, and the own position among them. */
export interface PathLevel {
  readonly siblings: readonly Uint8Array[];
  readonly index: number;
}

/** A path from leaf to root with values. */
export interface PathValues {
  readonly base: readonly PathLevel[];
  readonly sub: readonly PathLevel[];
  readonly top: readonly PathLevel[];
}

/** Arity of every level, leaf upwards. */
const arities = (shape: PathShape): number[] => [
  ...Array<number>(shape.baseLength).fill(shape.baseArity),
  ...(shape.subArity === 0 ? [] : [shape.subArity]),
  ...(shape.topArity === 0 ? [] : [shape.topArity]),
];

const treeHash = (cs: ConstraintSystem, shape: PathShape, nodes: readonly Variable[]): Variable =>
  shape.hasher === 'sha256' ? sha256Node(cs, nodes, 'hash') : poseidon(cs, nodes, 'hash');

/** The levels of a path that has values, checked against the shape. */
function levelsOf(path: PathValues, shape: PathShape): readonly PathLevel[] {
  const expected = arities(shape);
  const levels = [...path.base, ...path.sub, ...path.top];
  const fits =
    path.base.length === shape.baseLength &&
    levels.length === expected.length &&
    levels.every(
      ({ siblings, index }, i) =>
        siblings.length + 1 === expected[i] && index >= 0 && index < expected[i],
    );
  if (!fits) throw new RangeError('Merkle path: levels or siblings do not fit the tree');
  return levels;
}

/** Climbs from the leaf to the root; returns the root and the index bits, leaf level first. */
function climb(
  cs: ConstraintSystem,
  shape: PathShape,
  leaf: Variable,
  path: PathValues | undefined,
): { root: Variable; indexBits: Bool[] } {
  const levels = path && levelsOf(path, shape);
  let current = leaf;
  const indexBits: Bool[] = [];
  arities(shape).forEach((arity, i) => {
    cs.enter('level ', i);
    const level = levels?.[i];
    const bits = Array.from({ length: Math.log2(arity) }, (_, k) =>
      is(
        allocBit(cs, level ? () => ((level.index >> k) & 1) === 1 : unknownValue, 'index bit ', k),
      ),
    );
    const siblings = Array.from({ length: arity - 1 }, (_, k) =>
      cs.allocElement(level ? () => bigintFromLe(level.siblings[k]) : unknownValue, 'sibling ', k),
    );
    current = treeHash(cs, shape, insert(cs, current, bits, siblings, 'insert'));
    indexBits.push(...bits);
    cs.leave();
  });
  return { root: current, indexBits };
}

/**
 * The leaf lies in the tree with this root, at the position that becomes one new public input
 * (spec §6.13). Leaf and root are used as they are. `path` is left out where values are unknown; a path
 * that does not fit the shape is a RangeError.
 */
export function enforceInclusion(
  cs: ConstraintSystem,
  shape: PathShape,
  leaf: Variable,
  root: Variable,
  path: PathValues | undefined,
  name: string,
): void {
  cs.enter(name);
  const computed = climb(cs, shape, leaf, path);
  packIntoInputs(cs, computed.indexBits, 'path');
  enforceEqual(cs, computed.root, root, 'root is correct');
  cs.leave();
}

/** Inclusion of an own leaf under an own root that is made public: upstream's stand-alone form (spec §9.3). */
export function enforcePublicInclusion(
  cs: ConstraintSystem,
  shape: PathShape,
  values?: { readonly leaf: bigint; readonly root: bigint; readonly path: PathValues },
): void {
  const leaf = cs.allocElement(values ? () => values.leaf : unknownValue, 'value');
  const computed = climb(cs, shape, leaf, values?.path);
  packIntoInputs(cs, computed.indexBits, 'path');
  const root = cs.allocElement(values ? () => values.root : unknownValue, 'root_value');
  enforceEqual(cs, computed.root, root, 'root is correct');
  inputize(cs, root, 'root');
}
