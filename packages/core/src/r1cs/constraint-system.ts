import type { CoefficientTable } from './coefficient-table.ts';
import type { LinearCombination } from './linear-combination.ts';
import type { Variable } from './variable.ts';

/** Three combinations to fill for the next row. */
export interface RowScratch {
  readonly a: LinearCombination;
  readonly b: LinearCombination;
  readonly c: LinearCombination;
}

/**
 * What a circuit is written against (spec §5). The structure of a circuit never depends on values: the
 * functions passed for them are called only by collectors that keep an assignment, once, at allocation.
 *
 * Names are for people. A path is the open namespaces and then the name, joined by `/`; `index` is
 * appended to the name, so that loops need not build strings that most collectors ignore.
 */
export interface ConstraintSystem {
  readonly coefficients: CoefficientTable;
  /** Empty combinations, to be filled and handed to `enforce`. */
  readonly row: RowScratch;

  /** A new public input; `value` returns it canonical, in [0, r). */
  allocInput(value: () => bigint, name: string, index?: number): Variable;
  /** A new aux variable that holds any field element; `value` returns it canonical. */
  allocElement(value: () => bigint, name: string, index?: number): Variable;
  /** A new aux variable that is 0 or 1 in every satisfying assignment. */
  allocBit(value: () => boolean, name: string, index?: number): Variable;

  /** Appends the row a·b = c and empties the three combinations. They must be three different objects. */
  enforce(
    a: LinearCombination,
    b: LinearCombination,
    c: LinearCombination,
    name: string,
    index?: number,
  ): void;

  /** Value of a variable. Throws RangeError in a system without values. */
  valueOf(variable: Variable): bigint;
  /** Value of a variable that was allocated as a bit. Throws RangeError in a system without values. */
  bitOf(variable: Variable): boolean;

  /** Opens a namespace. */
  enter(name: string, index?: number): void;
  /** Closes the namespace opened last. */
  leave(): void;
}

/**
 * A circuit as a preamble and a number of equal instances that share variables with it and with nothing
 * else. A circuit without repetition has `instances` 0.
 */
export interface SegmentedCircuit<Shared = unknown> {
  /** Identifier of spec §4.6, or a name for test circuits. */
  readonly circuitId: string;
  readonly instances: number;
  preamble(cs: ConstraintSystem): Shared;
  instance(cs: ConstraintSystem, shared: Shared, index: number): void;
}

/** Runs the whole circuit on `cs`. */
export function synthesize<Shared>(circuit: SegmentedCircuit<Shared>, cs: ConstraintSystem): void {
  const shared = circuit.preamble(cs);
  for (let i = 0; i < circuit.instances; i++) circuit.instance(cs, shared, i);
}

/** Stands where a value is not known: a circuit that is only looked at never calls it. */
export function unknownValue(): never {
  throw new RangeError('constraint system: a value was asked for, but the circuit has none');
}
