import {
  COEFFICIENT_MINUS_ONE,
  COEFFICIENT_ONE,
  COEFFICIENT_TWO,
} from '../r1cs/coefficient-table.ts';
import type { ConstraintSystem } from '../r1cs/constraint-system.ts';
import { ONE, type Variable } from '../r1cs/variable.ts';

/**
 * Allocated bits and the operations on them (spec §6.1). The side on which an operand stands is part of
 * the circuit. Results of operations get no boolean row of their own: the operands' rows imply it.
 */

/** A new bit with its boolean row (1 − v)·v = 0. */
export function allocBit(
  cs: ConstraintSystem,
  value: () => boolean,
  name: string,
  index?: number,
): Variable {
  const v = cs.allocBit(value, name, index);
  const { a, b, c } = cs.row;
  a.add(ONE, COEFFICIENT_ONE);
  a.add(v, COEFFICIENT_MINUS_ONE);
  b.add(v, COEFFICIENT_ONE);
  cs.enforce(a, b, c, name, index);
  return v;
}

/** x ⊕ y by the row 2x·y = x + y − result. */
export function xorBits(
  cs: ConstraintSystem,
  x: Variable,
  y: Variable,
  name: string,
  index?: number,
): Variable {
  const result = cs.allocBit(() => cs.bitOf(x) !== cs.bitOf(y), name, index);
  const { a, b, c } = cs.row;
  a.add(x, COEFFICIENT_TWO);
  b.add(y, COEFFICIENT_ONE);
  c.add(x, COEFFICIENT_ONE);
  c.add(y, COEFFICIENT_ONE);
  c.add(result, COEFFICIENT_MINUS_ONE);
  cs.enforce(a, b, c, name, index);
  return result;
}

/** x ∧ y by the row x·y = result. */
export function andBits(
  cs: ConstraintSystem,
  x: Variable,
  y: Variable,
  name: string,
  index?: number,
): Variable {
  const result = cs.allocBit(() => cs.bitOf(x) && cs.bitOf(y), name, index);
  const { a, b, c } = cs.row;
  a.add(x, COEFFICIENT_ONE);
  b.add(y, COEFFICIENT_ONE);
  c.add(result, COEFFICIENT_ONE);
  cs.enforce(a, b, c, name, index);
  return result;
}

/** x ∧ ¬y by the row x·(1 − y) = result. */
export function andNotBits(
  cs: ConstraintSystem,
  x: Variable,
  y: Variable,
  name: string,
  index?: number,
): Variable {
  const result = cs.allocBit(() => cs.bitOf(x) && !cs.bitOf(y), name, index);
  const { a, b, c } = cs.row;
  a.add(x, COEFFICIENT_ONE);
  b.add(ONE, COEFFICIENT_ONE);
  b.add(y, COEFFICIENT_MINUS_ONE);
  c.add(result, COEFFICIENT_ONE);
  cs.enforce(a, b, c, name, index);
  return result;
}

/** ¬x ∧ ¬y by the row (1 − x)·(1 − y) = result. */
export function norBits(
  cs: ConstraintSystem,
  x: Variable,
  y: Variable,
  name: string,
  index?: number,
): Variable {
  const result = cs.allocBit(() => !cs.bitOf(x) && !cs.bitOf(y), name, index);
  const { a, b, c } = cs.row;
  a.add(ONE, COEFFICIENT_ONE);
  a.add(x, COEFFICIENT_MINUS_ONE);
  b.add(ONE, COEFFICIENT_ONE);
  b.add(y, COEFFICIENT_MINUS_ONE);
  c.add(result, COEFFICIENT_ONE);
  cs.enforce(a, b, c, name, index);
  return result;
}
