import type { ConstraintSystem } from '../r1cs/constraint-system.ts';
import type { Variable } from '../r1cs/variable.ts';
import type { Bool } from './boolean.ts';
import { reverseBitNumbering } from './byte-order.ts';
import { toBitsLe } from './num.ts';
import { CAPACITY_BITS, packBits } from './packing.ts';
import { sha256 } from './sha256.ts';

/** A digest as a field element: its two top bits are dropped (spec §6.9). */
export const packDigest = (cs: ConstraintSystem, digest: readonly Bool[], name: string): Variable =>
  packBits(cs, reverseBitNumbering(digest).slice(0, CAPACITY_BITS), name);

/** The 256 bits of an element as SHA-256 reads its 32 little-endian bytes; the last byte's top bit is FALSE. */
export const elementStream = (
  cs: ConstraintSystem,
  element: Variable,
  name: string,
  index?: number,
): Bool[] => reverseBitNumbering(toBitsLe(cs, element, name, index));

/** SHA-256 of the children's encodings, truncated: the node hash of tree D (spec §6.10). */
export function sha256Node(
  cs: ConstraintSystem,
  children: readonly Variable[],
  name: string,
): Variable {
  cs.enter(name);
  const stream = children.flatMap((child, i) => elementStream(cs, child, 'child ', i));
  const digest = sha256(cs, stream, 'sha256');
  const node = packDigest(cs, digest, 'node');
  cs.leave();
  return node;
}
