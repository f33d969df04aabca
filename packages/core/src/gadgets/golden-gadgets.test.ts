import { expect, it } from 'vitest';
import { type ConstraintSystem, unknownValue } from '../r1cs/constraint-system.ts';
import { summarizeShape } from '../r1cs/shape-collector.ts';
import { blake2s, goldenGadgets } from '../r1cs/testing/golden-shape.ts';
import type { Variable } from '../r1cs/variable.ts';
import { allocBit } from './bit.ts';
import { type Bool, is } from './boolean.ts';
import { createLabel } from './create-label.ts';
import { insert } from './insertion.ts';
import { enforcePublicInclusion } from './merkle-inclusion.ts';
import { poseidon } from './poseidon.ts';
import { initialState, sha256 } from './sha256.ts';
import { sha256Compress } from './sha256-compression.ts';
import { bitsBeFromWords, constantWord } from './uint32.ts';

type Build = (cs: ConstraintSystem) => void;

const allocBits = (cs: ConstraintSystem, count: number, name: string): Bool[] =>
  Array.from({ length: count }, (_, i) => is(allocBit(cs, unknownValue, name, i)));
const allocNums = (cs: ConstraintSystem, count: number, name: string): Variable[] =>
  Array.from({ length: count }, (_, i) => cs.allocElement(unknownValue, name, i));

const poseidonOf =
  (arity: number): Build =>
  (cs) =>
    poseidon(cs, allocNums(cs, arity, 'preimage '), 'hash');

const insertInto =
  (arity: number): Build =>
  (cs) => {
    const siblings = allocNums(cs, arity - 1, 'sibling ');
    const [element] = allocNums(cs, 1, 'element');
    insert(cs, element, allocBits(cs, Math.log2(arity), 'bit '), siblings, 'insert');
  };

/** Inclusion with a public root. A base tree has 64 leaves unless `baseLength` says otherwise. */
const inclusion =
  (hasher: 'sha256' | 'poseidon', base: number, baseLength: number, sub = 0, top = 0): Build =>
  (cs) =>
    enforcePublicInclusion(cs, {
      hasher,
      baseArity: base,
      baseLength,
      subArity: sub,
      topArity: top,
    });

function labelTest(cs: ConstraintSystem): void {
  const parents = Array.from({ length: 37 }, (_, i) => allocBits(cs, 256, `parent ${i} bit `));
  const replicaId = allocBits(cs, 256, 'id bit ');
  const node = bitsBeFromWords([constantWord(0), constantWord(22)]).reverse();
  createLabel(cs, replicaId, parents, 3, node, 'create_label');
}

const CIRCUITS: Readonly<Record<string, Build>> = {
  'SHA-256 compression, 512 AllocatedBits, constant IV': (cs) =>
    sha256Compress(cs, allocBits(cs, 512, 'bit '), initialState(), 'compression'),
  'SHA-256 of 512 AllocatedBits': (cs) => sha256(cs, allocBits(cs, 512, 'bit '), 'sha256'),
  'Poseidon (alloc n nums, hash) n=2': poseidonOf(2),
  'Poseidon n=4': poseidonOf(4),
  'Poseidon n=8': poseidonOf(8),
  'Poseidon n=11': poseidonOf(11),
  'insert 2 (alloc siblings, then element, then bits, then insert)': insertInto(2),
  'insert 4 (alloc siblings, then element, then bits, then insert)': insertInto(4),
  'insert 8 (alloc siblings, then element, then bits, then insert)': insertInto(8),
  'PoR public root, SHA-256 arity 2, 64 leaves': inclusion('sha256', 2, 6),
  'PoR public root, Poseidon 2, 64 leaves': inclusion('poseidon', 2, 6),
  'PoR public root, Poseidon 4, 64 leaves': inclusion('poseidon', 4, 3),
  'PoR public root, Poseidon 8, 64 leaves': inclusion('poseidon', 8, 2),
  'PoR public root, Poseidon 8-2, 128 leaves': inclusion('poseidon', 8, 2, 2),
  'PoR public root, Poseidon 8-8, 512 leaves': inclusion('poseidon', 8, 2, 8),
  'PoR public root, Poseidon 8-8-2, 1024 leaves': inclusion('poseidon', 8, 2, 8, 2),
  'PoR public root, Poseidon 8-4-2, 512 leaves': inclusion('poseidon', 8, 2, 4, 2),
  'create_label test (37*256 parent bits allocated first, then 256 id bits; layer const 3, node const 22)':
    labelTest,
};

/** The small StackedDRG circuits of the same file are compared beside the circuit. */
const golden = goldenGadgets().filter(({ circuit }) => !circuit.startsWith('stacked'));

const summarize = (build: Build) =>
  summarizeShape({ circuitId: 'test', instances: 0, preamble: build, instance() {} }, blake2s());

it.each(golden.map((gadget) => [gadget.circuit, gadget] as const))(
  '%s has the golden R1CS',
  (circuit, expected) => {
    const found = summarize(CIRCUITS[circuit]);
    expect({
      inputs: found.inputs,
      aux: found.aux,
      constraints: found.constraints,
      terms: found.nonZeroTerms,
      hash: found.shapeDigest,
    }).toEqual({
      inputs: expected.inputs,
      aux: expected.aux,
      constraints: expected.constraints,
      terms: expected.nonzero_terms,
      hash: expected.r1cs_hash_blake2s256,
    });
  },
);

it.each([
  ['SHA-256 arity 2', inclusion('sha256', 2, 6), 272_295],
  ['SHA-256 arity 4', inclusion('sha256', 4, 3), 216_258],
  ['SHA-256 arity 8', inclusion('sha256', 8, 2), 250_987],
] as const)('inclusion under %s has the row count that upstream asserts', (_, build, rows) => {
  expect(summarize(build).constraints).toBe(rows);
});

it('a different order of allocation gives a different hash', () => {
  const swapped: Build = (cs) => {
    const [element] = allocNums(cs, 1, 'element');
    const siblings = allocNums(cs, 1, 'sibling ');
    insert(cs, element, allocBits(cs, 1, 'bit '), siblings, 'insert');
  };
  expect(summarize(swapped).shapeDigest).not.toBe(summarize(insertInto(2)).shapeDigest);
});
