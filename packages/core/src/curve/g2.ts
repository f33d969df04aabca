import { type AffineGroup, createAffineGroup } from './affine-group.ts';
import { type Fp2, fp2Add, fp2Equal, fp2Invert, fp2Mul, fp2Sub } from './fp2.ts';

/** E′: y² = x³ + 4(1 + u) over Fp2 (spec §3.2). Contains G2 and points outside the subgroup of order r. */
export const g2: AffineGroup<Fp2> = createAffineGroup(
  {
    zero: { c0: 0n, c1: 0n },
    add: fp2Add,
    sub: fp2Sub,
    mul: fp2Mul,
    invert: fp2Invert,
    equal: fp2Equal,
  },
  { c0: 4n, c1: 4n },
);
