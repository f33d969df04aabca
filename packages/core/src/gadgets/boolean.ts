import { COEFFICIENT_ONE, type CoefficientId } from '../r1cs/coefficient-table.ts';
import type { ConstraintSystem } from '../r1cs/constraint-system.ts';
import type { LinearCombination } from '../r1cs/linear-combination.ts';
import { ONE, type Variable } from '../r1cs/variable.ts';
import { andBits, andNotBits, norBits, xorBits } from './bit.ts';

/**
 * A Boolean of spec §6.2 in one integer: twice the bit's variable, plus one where it is negated. The
 * constants are the constant variable itself: TRUE is ONE, FALSE its negation, so that every rule about
 * combinations holds for them as well.
 */
export type Bool = number;

export const TRUE: Bool = 2 * ONE;
export const FALSE: Bool = TRUE + 1;

export const is = (bit: Variable): Bool => 2 * bit;
export const not = (x: Bool): Bool => x ^ 1;
export const isConstant = (x: Bool): boolean => x <= FALSE;
const isNegated = (x: Bool): boolean => (x & 1) === 1;
const bitUnder = (x: Bool): Variable => x >>> 1;

/** Value of a Boolean; constants have one in every system. */
export const boolOf = (cs: ConstraintSystem, x: Bool): boolean =>
  isConstant(x) ? x === TRUE : cs.bitOf(bitUnder(x)) !== isNegated(x);

/** Adds `coefficient` times the Boolean to a combination. */
export function addBool(
  cs: ConstraintSystem,
  lc: LinearCombination,
  x: Bool,
  coefficient: CoefficientId = COEFFICIENT_ONE,
): void {
  if (x === FALSE) return;
  if (isNegated(x)) {
    lc.add(ONE, coefficient);
    lc.add(bitUnder(x), cs.coefficients.negate(coefficient));
  } else {
    lc.add(bitUnder(x), coefficient);
  }
}

/** x ⊕ y; constants fold, and of a mixed pair the plain operand comes first (spec §6.2). */
export function xor(cs: ConstraintSystem, x: Bool, y: Bool, name: string, index?: number): Bool {
  if (x === FALSE) return y;
  if (y === FALSE) return x;
  if (x === TRUE) return not(y);
  if (y === TRUE) return not(x);
  if (isNegated(x) === isNegated(y)) {
    return is(xorBits(cs, bitUnder(x), bitUnder(y), name, index));
  }
  const [plain, negated] = isNegated(x) ? [y, x] : [x, y];
  return not(is(xorBits(cs, bitUnder(plain), bitUnder(negated), name, index)));
}

/** x ∧ y; constants fold (spec §6.2). */
export function and(cs: ConstraintSystem, x: Bool, y: Bool, name: string, index?: number): Bool {
  if (x === FALSE || y === FALSE) return FALSE;
  if (x === TRUE) return y;
  if (y === TRUE) return x;
  const [v, w] = [bitUnder(x), bitUnder(y)];
  if (isNegated(x)) {
    return is(isNegated(y) ? norBits(cs, v, w, name, index) : andNotBits(cs, w, v, name, index));
  }
  return is(isNegated(y) ? andNotBits(cs, v, w, name, index) : andBits(cs, v, w, name, index));
}
