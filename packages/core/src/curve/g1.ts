import { fpAdd, fpInvert, fpMul, fpSub } from '../field/fp.ts';
import { type AffineGroup, createAffineGroup } from './affine-group.ts';

/** E: y² = x³ + 4 over Fp (spec §3.2). Contains G1 and points outside the subgroup of order r. */
export const g1: AffineGroup<bigint> = createAffineGroup(
  {
    zero: 0n,
    add: fpAdd,
    sub: fpSub,
    mul: fpMul,
    invert: fpInvert,
    equal: (a: bigint, b: bigint) => a === b,
  },
  4n,
);
