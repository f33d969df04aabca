import {
  COEFFICIENT_MINUS_ONE,
  COEFFICIENT_ONE,
  COEFFICIENT_TWO,
} from '../r1cs/coefficient-table.ts';
import type { ConstraintSystem } from '../r1cs/constraint-system.ts';
import { addBool, and, type Bool, boolOf, FALSE, is, isConstant, not, TRUE } from './boolean.ts';

/** Choice (x ∧ y) ⊕ (¬x ∧ z); the order of the special cases is part of the circuit (spec §6.2). */
export function choose(
  cs: ConstraintSystem,
  x: Bool,
  y: Bool,
  z: Bool,
  name: string,
  index?: number,
): Bool {
  if (isConstant(x) && isConstant(y) && isConstant(z)) return x === TRUE ? y : z;
  if (x === FALSE) return z;
  if (y === FALSE) return and(cs, not(x), z, name, index);
  if (z === FALSE) return and(cs, x, y, name, index);
  if (z === TRUE) return not(and(cs, x, not(y), name, index));
  if (y === TRUE) return not(and(cs, not(x), not(z), name, index));
  const chosen = cs.allocBit(() => (boolOf(cs, x) ? boolOf(cs, y) : boolOf(cs, z)), name, index);
  const { a, b, c } = cs.row;
  addBool(cs, a, y);
  addBool(cs, a, z, COEFFICIENT_MINUS_ONE);
  addBool(cs, b, x);
  c.add(chosen, COEFFICIENT_ONE);
  addBool(cs, c, z, COEFFICIENT_MINUS_ONE);
  cs.enforce(a, b, c, name, index);
  return is(chosen);
}

const majorityOf = (x: boolean, y: boolean, z: boolean): boolean =>
  (x && y) || (x && z) || (y && z);

/** Majority; the result is allocated before the bit y ∧ z that its row needs (spec §6.2). */
export function majority(
  cs: ConstraintSystem,
  x: Bool,
  y: Bool,
  z: Bool,
  name: string,
  index?: number,
): Bool {
  if (isConstant(x) && isConstant(y) && isConstant(z)) {
    return majorityOf(x === TRUE, y === TRUE, z === TRUE) ? TRUE : FALSE;
  }
  if (x === FALSE) return and(cs, y, z, name, index);
  if (y === FALSE) return and(cs, x, z, name, index);
  if (z === FALSE) return and(cs, x, y, name, index);
  if (z === TRUE) return not(and(cs, not(x), not(y), name, index));
  if (y === TRUE) return not(and(cs, not(x), not(z), name, index));
  if (x === TRUE) return not(and(cs, not(y), not(z), name, index));
  const result = cs.allocBit(
    () => majorityOf(boolOf(cs, x), boolOf(cs, y), boolOf(cs, z)),
    name,
    index,
  );
  const both = and(cs, y, z, 'y and z of ', index);
  const { a, b, c } = cs.row;
  addBool(cs, a, both, COEFFICIENT_TWO);
  addBool(cs, a, y, COEFFICIENT_MINUS_ONE);
  addBool(cs, a, z, COEFFICIENT_MINUS_ONE);
  addBool(cs, b, x);
  addBool(cs, c, both);
  c.add(result, COEFFICIENT_MINUS_ONE);
  cs.enforce(a, b, c, name, index);
  return is(result);
}
