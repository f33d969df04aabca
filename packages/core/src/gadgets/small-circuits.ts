import {
  type ConstraintSystem,
  type SegmentedCircuit,
  unknownValue,
} from '../r1cs/constraint-system.ts';
import type { Variable } from '../r1cs/variable.ts';
import { inputize } from './num.ts';
import { poseidon } from './poseidon.ts';
import { sha256Node } from './sha256-node.ts';

/** The two secret values of a small circuit, canonical. */
export interface SmallCircuitValues {
  readonly a: bigint;
  readonly b: bigint;
}

type HashTwo = (cs: ConstraintSystem, nodes: readonly Variable[], name: string) => Variable;

const hashTwo = (
  circuitId: string,
  hash: HashTwo,
  values?: SmallCircuitValues,
): SegmentedCircuit => ({
  circuitId,
  instances: 0,
  preamble(cs) {
    const a = cs.allocElement(values ? () => values.a : unknownValue, 'a');
    const b = cs.allocElement(values ? () => values.b : unknownValue, 'b');
    inputize(cs, hash(cs, [a, b], 'hash'), 'public digest');
  },
  instance() {},
});

/** Knowledge of two values with this Poseidon digest: 312 rows, small enough to prove in a self-test. */
export const poseidon2Circuit = (values?: SmallCircuitValues): SegmentedCircuit =>
  hashTwo('poseidon2', poseidon, values);

/** Knowledge of the two children of a tree-D node: 45,380 rows, nearly all of them on bits. */
export const sha256NodeCircuit = (values?: SmallCircuitValues): SegmentedCircuit =>
  hashTwo('sha256-node', sha256Node, values);
