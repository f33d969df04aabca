import { frAdd } from '../field/fr.ts';
import { COEFFICIENT_MINUS_ONE, COEFFICIENT_ONE, MAX_POWER } from '../r1cs/coefficient-table.ts';
import type { ConstraintSystem } from '../r1cs/constraint-system.ts';
import { ONE, type Variable } from '../r1cs/variable.ts';
import { allocBit } from './bit.ts';
import { type Bool, is } from './boolean.ts';

/** Bits of a decomposed field element. */
export const FR_BITS = 255;

/** Makes a variable public: a new input and the row input·1 = variable (spec §6.3). */
export function inputize(cs: ConstraintSystem, variable: Variable, name: string): Variable {
  const input = cs.allocInput(() => cs.valueOf(variable), name);
  const { a, b, c } = cs.row;
  a.add(input, COEFFICIENT_ONE);
  b.add(ONE, COEFFICIENT_ONE);
  c.add(variable, COEFFICIENT_ONE);
  cs.enforce(a, b, c, name);
  return input;
}

/**
 * 255 new bits, least significant first, and the row 0·0 = Σ 2^i·bit_i − x (spec §6.3). Not strict: where
 * x < 2^255 − r there are two satisfying assignments, as upstream.
 */
export function toBitsLe(cs: ConstraintSystem, x: Variable, name: string, index?: number): Bool[] {
  cs.enter(name, index);
  const { a, b, c } = cs.row;
  const bits: Variable[] = [];
  for (let i = 0; i < FR_BITS; i++) {
    bits.push(allocBit(cs, () => ((cs.valueOf(x) >> BigInt(i)) & 1n) === 1n, 'bit ', i));
  }
  for (let i = 0; i <= MAX_POWER; i++) c.add(bits[i], i);
  for (let i = MAX_POWER + 1; i < FR_BITS; i++) c.addValue(bits[i], 1n << BigInt(i));
  c.add(x, COEFFICIENT_MINUS_ONE);
  cs.enforce(a, b, c, 'unpacking');
  cs.leave();
  return bits.map(is);
}

/** The row x·1 = y (spec §6.11). */
export function enforceEqual(cs: ConstraintSystem, x: Variable, y: Variable, name: string): void {
  const { a, b, c } = cs.row;
  a.add(x, COEFFICIENT_ONE);
  b.add(ONE, COEFFICIENT_ONE);
  c.add(y, COEFFICIENT_ONE);
  cs.enforce(a, b, c, name);
}

/** x + y by the row (x + y)·1 = sum; with key and data this is the encoding of a node (spec §6.11). */
export function addNums(cs: ConstraintSystem, x: Variable, y: Variable, name: string): Variable {
  const sum = cs.allocElement(() => frAdd(cs.valueOf(x), cs.valueOf(y)), name);
  const { a, b, c } = cs.row;
  a.add(x, COEFFICIENT_ONE);
  a.add(y, COEFFICIENT_ONE);
  b.add(ONE, COEFFICIENT_ONE);
  c.add(sum, COEFFICIENT_ONE);
  cs.enforce(a, b, c, name);
  return sum;
}
