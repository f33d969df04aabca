import { FP_MODULUS, fpInvert } from '../field/fp.ts';
import { mod } from '../field/modular.ts';
import { type Fp2, fp2Invert } from './fp2.ts';
import type { AffinePoint, G1Affine, G2Affine } from './points.ts';

/** Points to add up by weight: those of entry j count 2^j times each. */
export type PointsByBit<T> = AffinePoint<T>[][];

/**
 * Field operations whose results need not be canonical: sums are not reduced at all, products lie within one modulus
 * of zero. That saves more than half of the time of canonical arithmetic.
 */
interface LooseField<T> {
  readonly one: T;
  add(a: T, b: T): T;
  sub(a: T, b: T): T;
  mul(a: T, b: T): T;
  square(a: T): T;
  isZero(a: T): boolean;
  /** Canonical inverse. */
  invert(a: T): T;
  canonical(a: T): T;
}

const FP: LooseField<bigint> = {
  one: 1n,
  add: (a, b) => a + b,
  sub: (a, b) => a - b,
  mul: (a, b) => (a * b) % FP_MODULUS,
  square: (a) => (a * a) % FP_MODULUS,
  isZero: (a) => a % FP_MODULUS === 0n,
  invert: fpInvert,
  canonical: (a) => mod(a, FP_MODULUS),
};

const FP2: LooseField<Fp2> = {
  one: { c0: 1n, c1: 0n },
  add: (a, b) => ({ c0: a.c0 + b.c0, c1: a.c1 + b.c1 }),
  sub: (a, b) => ({ c0: a.c0 - b.c0, c1: a.c1 - b.c1 }),
  mul: (a, b) => {
    const low = a.c0 * b.c0;
    const high = a.c1 * b.c1;
    const both = (a.c0 + a.c1) * (b.c0 + b.c1);
    return { c0: (low - high) % FP_MODULUS, c1: (both - low - high) % FP_MODULUS };
  },
  square: (a) => ({
    c0: ((a.c0 + a.c1) * (a.c0 - a.c1)) % FP_MODULUS,
    c1: (2n * a.c0 * a.c1) % FP_MODULUS,
  }),
  isZero: (a) => a.c0 % FP_MODULUS === 0n && a.c1 % FP_MODULUS === 0n,
  invert: (a) => fp2Invert(FP2.canonical(a)),
  canonical: (a) => ({ c0: mod(a.c0, FP_MODULUS), c1: mod(a.c1, FP_MODULUS) }),
};

/** (x/z², y/z³); infinity is undefined. */
interface Jacobian<T> {
  readonly x: T;
  readonly y: T;
  readonly z: T;
}

/** Formulas dbl-2009-l and madd-2007-bl of the explicit-formulas database, for curves y² = x³ + b without 2-torsion. */
function double<T>(f: LooseField<T>, { x, y, z }: Jacobian<T>): Jacobian<T> {
  const a = f.square(x);
  const b = f.square(y);
  const c = f.square(b);
  const half = f.sub(f.sub(f.square(f.add(x, b)), a), c);
  const d = f.add(half, half);
  const e = f.add(a, f.add(a, a));
  const x3 = f.sub(f.square(e), f.add(d, d));
  const c4 = f.add(f.add(c, c), f.add(c, c));
  const yz = f.mul(y, z);
  return { x: x3, y: f.sub(f.mul(e, f.sub(d, x3)), f.add(c4, c4)), z: f.add(yz, yz) };
}

function addAffine<T>(
  f: LooseField<T>,
  p: Jacobian<T> | undefined,
  q: AffinePoint<T>,
): Jacobian<T> | undefined {
  if (q === null) return p;
  if (p === undefined) return { x: q.x, y: q.y, z: f.one };
  const zz = f.square(p.z);
  const h = f.sub(f.mul(q.x, zz), p.x);
  const half = f.sub(f.mul(f.mul(q.y, p.z), zz), p.y);
  if (f.isZero(h)) return f.isZero(half) ? double(f, p) : undefined;
  const hh = f.square(h);
  const i = f.add(f.add(hh, hh), f.add(hh, hh));
  const j = f.mul(h, i);
  const r = f.add(half, half);
  const v = f.mul(p.x, i);
  const x = f.sub(f.sub(f.square(r), j), f.add(v, v));
  const yj = f.mul(p.y, j);
  return {
    x,
    y: f.sub(f.mul(r, f.sub(v, x)), f.add(yj, yj)),
    z: f.sub(f.sub(f.square(f.add(p.z, h)), zz), hh),
  };
}

function weightedSum<T>(
  f: LooseField<T>,
  byBit: readonly (readonly AffinePoint<T>[] | undefined)[],
): AffinePoint<T> {
  let sum: Jacobian<T> | undefined;
  for (let bit = byBit.length - 1; bit >= 0; bit--) {
    if (sum !== undefined) sum = double(f, sum);
    for (const point of byBit[bit] ?? []) sum = addAffine(f, sum, point);
  }
  if (sum === undefined) return null;
  const inverse = f.invert(sum.z);
  const square = f.square(inverse);
  return {
    x: f.canonical(f.mul(sum.x, square)),
    y: f.canonical(f.mul(f.mul(sum.y, inverse), square)),
  };
}

/** Σ 2^j·(points of entry j) on G1, by Horner's rule: ≈ 5 µs for each point and each bit. Holes count as empty. */
export const g1WeightedSum = (byBit: readonly (readonly G1Affine[] | undefined)[]): G1Affine =>
  weightedSum(FP, byBit);

/** As g1WeightedSum, on G2: ≈ 15 µs. */
export const g2WeightedSum = (byBit: readonly (readonly G2Affine[] | undefined)[]): G2Affine =>
  weightedSum(FP2, byBit);

/** Adds scalar·point to `byBit`, in signed binary digits: a third of the bits of a scalar ≥ 0. */
function pushMultiple<T>(
  byBit: PointsByBit<T>,
  point: AffinePoint<T>,
  scalar: bigint,
  negate: (y: T) => T,
): void {
  if (point === null) return;
  const opposite = { x: point.x, y: negate(point.y) };
  for (let rest = scalar, bit = 0; rest > 0n; rest >>= 1n, bit++) {
    if ((rest & 1n) === 0n) continue;
    byBit[bit] ??= [];
    const minus = (rest & 3n) === 3n;
    byBit[bit]?.push(minus ? opposite : point);
    if (minus) rest += 2n;
  }
}

/** Σ scalars[i]·points[i] on G1, a few of them: the doublings are shared. Scalars ≥ 0. Not constant in time. */
export function g1Combination(terms: readonly (readonly [G1Affine, bigint])[]): G1Affine {
  const byBit: PointsByBit<bigint> = [];
  for (const [point, scalar] of terms) pushMultiple(byBit, point, scalar, (y) => FP_MODULUS - y);
  return g1WeightedSum(byBit);
}

/** As g1Combination. */
export function g2Combination(terms: readonly (readonly [G2Affine, bigint])[]): G2Affine {
  const byBit: PointsByBit<Fp2> = [];
  const negate = ({ c0, c1 }: Fp2): Fp2 => ({ c0: -c0, c1: -c1 });
  for (const [point, scalar] of terms) pushMultiple(byBit, point, scalar, negate);
  return g2WeightedSum(byBit);
}
