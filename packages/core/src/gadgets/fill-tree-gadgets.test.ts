import { sha256 as nobleSha256 } from '@noble/hashes/sha2.js';
import { describe, expect, it } from 'vitest';
import { bigintFromLe, fromHex } from '../bytes.ts';
import { FR_MODULUS, frToBytes } from '../field/fr.ts';
import { goldenJson } from '../groth16/testing/golden.ts';
import { poseidonHash } from '../hash/poseidon.ts';
import type { PoseidonArity } from '../hash/poseidon-constants.ts';
import { WitnessCollector } from '../r1cs/witness-collector.ts';
import type { FillContext } from './fill-context.ts';
import { fillInsertion, INSERTION_AUX, INSERTION_BITS } from './fill-insertion.ts';
import { fillMerklePath, type PathStep, pathStepCounts } from './fill-merkle-path.ts';
import { fillPoseidon, poseidonAux } from './fill-poseidon.ts';
import { fillSha256Node, SHA256_NODE_AUX } from './fill-tree-node.ts';
import { enforceInclusion, type PathShape } from './merkle-inclusion.ts';
import { poseidon } from './poseidon.ts';
import { sha256Node } from './sha256-node.ts';
import { fillGadget } from './testing/fill-gadget.ts';

const value = (tag: number): bigint =>
  bigintFromLe(nobleSha256(Uint8Array.of(tag & 255, tag >> 8))) % FR_MODULUS;
const node = (tag: number): Uint8Array => frToBytes(value(tag));

describe('Poseidon fill', () => {
  it('has the aux counts of the specification', () => {
    expect(([2, 4, 8, 11] as const).map(poseidonAux)).toEqual([311, 377, 505, 598]);
  });

  it.each([2, 4, 8, 11] as const)('of arity %i equals the circuit', (arity: PoseidonArity) => {
    const top = new Array<bigint>(arity).fill(FR_MODULUS - 1n);
    const mixed = Array.from({ length: arity }, (_, i) => value(i));
    for (const preimage of [new Array<bigint>(arity).fill(0n), top, mixed]) {
      const cs = new WitnessCollector();
      const variables = preimage.map((x) => cs.allocElement(() => x, 'preimage'));
      poseidon(cs, variables, 'hash');
      const size = arity + poseidonAux(arity);
      const filled = fillGadget({ inputs: 1, aux: size, elements: size }, (context) => {
        const refs = preimage.map((x) => context.sink.element(x));
        const digest = fillPoseidon(context, refs);
        expect(context.sink.elementValue(digest)).toBe(poseidonHash(preimage));
      });
      expect(filled.aux).toEqual(cs.finish().aux);
    }
  });
});

describe('tree D node fill', () => {
  it('has the aux count of the specification', () => {
    expect(SHA256_NODE_AUX).toBe(45_331);
  });

  it('equals the circuit', () => {
    const children = [FR_MODULUS - 1n, value(3)];
    const cs = new WitnessCollector();
    sha256Node(
      cs,
      children.map((x) => cs.allocElement(() => x, 'child')),
      'node',
    );
    const counts = { inputs: 1, aux: 2 + SHA256_NODE_AUX, elements: 3 };
    const filled = fillGadget(counts, (context) => {
      fillSha256Node(
        context,
        children.map((x) => context.sink.element(x)),
      );
    });
    const reference = cs.finish();
    expect(filled.aux).toEqual(reference.aux);
    expect(filled.typedBits).toEqual(reference.typedBits);
  });
});

describe('insertion fill', () => {
  it.each([2, 4, 8])('of arity %i puts the element at every position', (arity) => {
    const aux = arity + INSERTION_AUX[arity];
    const counts = { inputs: 1, aux, elements: aux - INSERTION_BITS[arity] };
    for (let index = 0; index < arity; index++) {
      fillGadget(counts, ({ sink }) => {
        const siblings = Array.from({ length: arity - 1 }, (_, i) => sink.element(value(i)));
        const element = sink.element(value(99));
        const nodes = fillInsertion(sink, element, siblings, index);
        const expected = Array.from({ length: arity - 1 }, (_, i) => value(i));
        expected.splice(index, 0, value(99));
        expect(nodes.map((ref) => sink.elementValue(ref))).toEqual(expected);
      });
    }
  });

  it('refuses other arities and positions', () => {
    const insertAt = (siblings: number, index: number) => () =>
      fillGadget({ inputs: 1, aux: 100, elements: 98 }, ({ sink }) => {
        const refs = Array.from({ length: siblings }, (_, i) => sink.element(value(i)));
        fillInsertion(sink, sink.element(1n), refs, index);
      });
    expect(insertAt(2, 0)).toThrow(/arity/);
    expect(insertAt(7, 8)).toThrow(/index/);
    expect(insertAt(7, -1)).toThrow(/index/);
  });
});

describe('Merkle path fill', () => {
  const shapes: [string, PathShape, number[]][] = [
    ['tree D', shape('sha256', 2, 2, 0, 0), [1, 0]],
    ['8-0-0', shape('poseidon', 8, 2, 0, 0), [5, 2]],
    ['8-2-0', shape('poseidon', 8, 1, 2, 0), [7, 1]],
    ['8-8-0', shape('poseidon', 8, 1, 8, 0), [0, 6]],
    ['8-8-2', shape('poseidon', 8, 1, 8, 2), [3, 4, 1]],
    ['8-4-2', shape('poseidon', 8, 1, 4, 2), [1, 3, 0]],
  ];

  it.each(shapes)('in %s equals the circuit, position included', (_, tree, indices) => {
    const steps = stepsOf(tree, indices);
    const root = rootOf(tree, steps);
    const filled = fillPath(tree, steps, root);
    const reference = referencePath(tree, steps, root);
    expect(filled.aux).toEqual(reference.aux);
    expect(filled.inputs).toEqual(reference.inputs);
    expect(filled.typedBits).toEqual(reference.typedBits);
    expect(reference.firstUnsatisfiedRow).toBe(-1);
    expect(filled.unsatisfied).toEqual([]);
  });

  it.each(shapes)('in %s under another root is reported', (_, tree, indices) => {
    const filled = fillPath(tree, stepsOf(tree, indices), 1n);
    expect(filled.unsatisfied).toEqual(['/path']);
  });
});

interface SmallCircuit {
  a_le: string;
  b_le: string;
  aux_le?: string[];
  public_inputs_le: string[];
  aux: { count: number; sha256: string };
}

describe('small circuits of the golden set', () => {
  it.each([
    ['poseidon2', 313, fillPoseidon],
    ['sha256-node', 3, fillSha256Node],
  ] as const)('%s has the golden assignment', (name, elements, fill) => {
    const golden = goldenJson<SmallCircuit>(`small/${name}.json`);
    const filled = fillGadget({ inputs: 2, aux: golden.aux.count, elements }, (context) => {
      const { sink } = context;
      const children = [golden.a_le, golden.b_le].map((hex) => sink.elementBytes(fromHex(hex)));
      sink.input(sink.elementValue(fill(context, children)));
    });
    expect(filled.inputs.slice(1)).toEqual(golden.public_inputs_le.map(fromLe));
    if (golden.aux_le !== undefined) expect(filled.aux).toEqual(golden.aux_le.map(fromLe));
    const hash = nobleSha256.create();
    for (const aux of filled.aux) hash.update(frToBytes(aux));
    expect(hash.digest()).toEqual(fromHex(golden.aux.sha256));
  });
});

const fromLe = (hex: string): bigint => bigintFromLe(fromHex(hex));

function shape(
  hasher: PathShape['hasher'],
  baseArity: number,
  baseLength: number,
  subArity: number,
  topArity: number,
): PathShape {
  return { hasher, baseArity, baseLength, subArity, topArity };
}

const aritiesOf = (tree: PathShape): number[] =>
  [...new Array<number>(tree.baseLength).fill(tree.baseArity), tree.subArity, tree.topArity].filter(
    (arity) => arity > 0,
  );

const stepsOf = (tree: PathShape, indices: readonly number[]): PathStep[] =>
  aritiesOf(tree).map((arity, level) => ({
    siblings: Array.from({ length: arity - 1 }, (_, i) => node(100 * level + i)),
    index: indices[level],
  }));

const LEAF = value(5000);

function countsOf(tree: PathShape): { inputs: number; aux: number; elements: number } {
  const steps = aritiesOf(tree).map((arity) => pathStepCounts(tree.hasher, arity));
  return {
    inputs: 2,
    aux: 2 + steps.reduce((sum, step) => sum + step.aux, 0),
    elements: 2 + steps.reduce((sum, step) => sum + step.elements, 0),
  };
}

const fillerOf = (tree: PathShape) => (tree.hasher === 'sha256' ? fillSha256Node : fillPoseidon);

function fillPath(tree: PathShape, steps: readonly PathStep[], root: bigint) {
  return fillGadget(countsOf(tree), (context: FillContext) => {
    const leafRef = context.sink.element(LEAF);
    const rootRef = context.sink.element(root);
    fillMerklePath(context, fillerOf(tree), leafRef, rootRef, steps, '/path');
  });
}

/** The root that the steps lead to, by the fill itself: its last aux. */
const rootOf = (tree: PathShape, steps: readonly PathStep[]): bigint =>
  fillPath(tree, steps, 0n).aux.at(-1) as bigint;

function referencePath(tree: PathShape, steps: readonly PathStep[], root: bigint) {
  const cs = new WitnessCollector();
  const leaf = cs.allocElement(() => LEAF, 'leaf');
  const rootVariable = cs.allocElement(() => root, 'root');
  const path = {
    base: steps.slice(0, tree.baseLength),
    sub: steps.slice(tree.baseLength, tree.baseLength + 1),
    top: steps.slice(tree.baseLength + 1),
  };
  enforceInclusion(cs, tree, leaf, rootVariable, path, 'inclusion');
  return cs.finish();
}
