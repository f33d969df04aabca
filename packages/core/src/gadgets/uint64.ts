import type { ConstraintSystem } from '../r1cs/constraint-system.ts';
import { allocBit } from './bit.ts';
import { type Bool, is } from './boolean.ts';
import { packIntoInputs } from './packing.ts';

/** A 64-bit integer as 64 Booleans, least significant first (spec §6.11). */
export type UInt64 = readonly Bool[];

/** 64 new bits, least significant first. */
export function allocUInt64(cs: ConstraintSystem, value: () => bigint, name: string): UInt64 {
  cs.enter(name);
  const bits = Array.from({ length: 64 }, (_, i) =>
    is(allocBit(cs, () => ((value() >> BigInt(i)) & 1n) === 1n, 'bit ', i)),
  );
  cs.leave();
  return bits;
}

/** The integer as one new public input. */
export const packUInt64IntoInput = (cs: ConstraintSystem, x: UInt64, name: string): void =>
  packIntoInputs(cs, x, name);
