import { bigintFromLe } from '@cuzk/core/bytes';
import { CuzkError } from '@cuzk/core/errors';
import { FR_BYTES, FR_MODULUS } from '@cuzk/core/field/fr';
import { mod } from '@cuzk/core/field/modular';
import { compactAssignment } from '@cuzk/core/r1cs/compact-assignment';
import type { CompactWitness } from '@cuzk/core/r1cs/compact-witness';
import { compileShape } from '@cuzk/core/r1cs/compile-shape';
import type { ConstraintSystem, SegmentedCircuit } from '@cuzk/core/r1cs/constraint-system';
import type { LinearCombination } from '@cuzk/core/r1cs/linear-combination';
import { openBlake2s } from '@cuzk/core/r1cs/noble-blake2s';
import type { CircuitShape } from '@cuzk/core/r1cs/shape';
import { FIRST_AUX, ONE, type Variable } from '@cuzk/core/r1cs/variable';
import { referenceWitness } from '@cuzk/core/r1cs/witness-collector';

export type { Variable } from '@cuzk/core/r1cs/variable';

/** A linear combination: variables, each by itself or with a coefficient, which is any integer. */
export type Terms = readonly (Variable | readonly [coefficient: bigint, variable: Variable])[];

/** The variable that is always 1, for constants in a combination. */
export const one: Variable = ONE;

/** What a circuit is written with. Values are any integers; they are taken modulo r. */
export interface Circuit {
  /** A new public input. */
  input(value: () => bigint): Variable;
  /** A new secret variable. */
  element(value: () => bigint): Variable;
  /** A new secret variable that is 0 or 1, with the row that says so; cheaper to prove. */
  bit(value: () => boolean): Variable;
  /** Appends the row a·b = c. Throws RangeError for a variable that none of the three above gave. */
  row(a: Terms, b: Terms, c: Terms): void;
}

/**
 * Allocates variables and appends rows. Which ones may not depend on values: the functions given for values are called
 * only when a witness is made.
 */
export type Rows = (circuit: Circuit) => void;

/** The rows of a circuit as the prover wants them. `name` tells circuits apart in messages and files. */
export const compileCircuit = (name: string, rows: Rows): CircuitShape =>
  compileShape(segmented(name, rows), openBlake2s());

/**
 * The witness of a circuit whose value functions know their values. In plain numbers: fit for some 10^5 rows. Throws
 * CuzkError WITNESS_UNSATISFIED where a row does not hold.
 */
export function makeWitness(shape: CircuitShape, rows: Rows): CompactWitness {
  const { inputs, aux, firstUnsatisfiedRow } = referenceWitness(segmented(shape.circuitId, rows));
  if (firstUnsatisfiedRow >= 0) {
    throw new CuzkError('WITNESS_UNSATISFIED', 'the values do not satisfy the circuit', {
      expected: 'a·b = c in every row',
      found: `row ${firstUnsatisfiedRow} does not hold`,
    });
  }
  return compactAssignment(shape, inputs, aux);
}

/** Values of the public inputs, as the verifier wants them: without ONE. */
export const publicInputs = ({ inputs }: CompactWitness): bigint[] =>
  Array.from({ length: inputs.length / FR_BYTES - 1 }, (_, i) =>
    bigintFromLe(inputs.subarray(FR_BYTES * (i + 1), FR_BYTES * (i + 2))),
  );

const segmented = (circuitId: string, rows: Rows): SegmentedCircuit => ({
  circuitId,
  instances: 0,
  preamble: (cs) => rows(circuitOn(cs)),
  instance: () => {},
});

const inField = (value: bigint): bigint => mod(value, FR_MODULUS);

function circuitOn(cs: ConstraintSystem): Circuit {
  let [inputs, aux] = [1, 0];
  const isAllocated = (variable: Variable): boolean =>
    Number.isInteger(variable) &&
    variable >= 0 &&
    (variable < FIRST_AUX ? variable < inputs : variable - FIRST_AUX < aux);
  const fill = (sum: LinearCombination, terms: Terms): void => {
    for (const term of terms) {
      const [coefficient, variable] = typeof term === 'number' ? [1n, term] : term;
      if (!isAllocated(variable)) {
        throw new RangeError(`row: expected a variable of this circuit, got ${variable}`);
      }
      sum.addValue(variable, inField(coefficient));
    }
  };
  const row: Circuit['row'] = (a, b, c) => {
    fill(cs.row.a, a);
    fill(cs.row.b, b);
    fill(cs.row.c, c);
    cs.enforce(cs.row.a, cs.row.b, cs.row.c, 'row');
  };
  return {
    input: (value) => {
      inputs++;
      return cs.allocInput(() => inField(value()), 'input');
    },
    element: (value) => {
      aux++;
      return cs.allocElement(() => inField(value()), 'element');
    },
    bit: (value) => {
      aux++;
      const bit = cs.allocBit(value, 'bit');
      row([one, [-1n, bit]], [bit], []);
      return bit;
    },
    row,
  };
}
