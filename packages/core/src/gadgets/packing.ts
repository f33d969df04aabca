import { COEFFICIENT_ONE, MAX_POWER } from '../r1cs/coefficient-table.ts';
import type { ConstraintSystem } from '../r1cs/constraint-system.ts';
import { ONE, type Variable } from '../r1cs/variable.ts';
import { addBool, type Bool, boolOf } from './boolean.ts';

/** Bits that any field element can hold. */
export const CAPACITY_BITS = MAX_POWER + 1;

function packedValue(cs: ConstraintSystem, bits: readonly Bool[]): bigint {
  let value = 0n;
  for (let i = bits.length - 1; i >= 0; i--) value = 2n * value + (boolOf(cs, bits[i]) ? 1n : 0n);
  return value;
}

function enforcePacked(
  cs: ConstraintSystem,
  bits: readonly Bool[],
  packed: Variable,
  name: string,
  index?: number,
): void {
  const { a, b, c } = cs.row;
  for (let i = 0; i < bits.length; i++) addBool(cs, a, bits[i], i);
  b.add(ONE, COEFFICIENT_ONE);
  c.add(packed, COEFFICIENT_ONE);
  cs.enforce(a, b, c, name, index);
}

/** A new element Σ 2^i·bit_i of at most the first 254 bits (spec §6.4). */
export function packBits(
  cs: ConstraintSystem,
  bits: readonly Bool[],
  name: string,
  index?: number,
): Variable {
  const used = bits.slice(0, CAPACITY_BITS);
  const packed = cs.allocElement(() => packedValue(cs, used), name, index);
  enforcePacked(cs, used, packed, name, index);
  return packed;
}

/** One new public input for each 254 bits (spec §6.4). */
export function packIntoInputs(cs: ConstraintSystem, bits: readonly Bool[], name: string): void {
  cs.enter(name);
  for (let at = 0; at < bits.length; at += CAPACITY_BITS) {
    const chunk = bits.slice(at, at + CAPACITY_BITS);
    const index = at / CAPACITY_BITS;
    const packed = cs.allocInput(() => packedValue(cs, chunk), 'input ', index);
    enforcePacked(cs, chunk, packed, 'input ', index);
  }
  cs.leave();
}
