import type { AffinePoint } from './points.ts';

/** What the chord-and-tangent formulas need of a coordinate field. Values are canonical. */
export interface CoordinateField<T> {
  readonly zero: T;
  add(a: T, b: T): T;
  sub(a: T, b: T): T;
  mul(a: T, b: T): T;
  /** Throws RangeError for zero. */
  invert(a: T): T;
  equal(a: T, b: T): boolean;
}

/** The group of y² = x³ + b in affine coordinates: plain, slow, complete. */
export interface AffineGroup<T> {
  /** x³ + b. */
  rightSide(x: T): T;
  isOnCurve(p: AffinePoint<T>): boolean;
  equal(p: AffinePoint<T>, q: AffinePoint<T>): boolean;
  negate(p: AffinePoint<T>): AffinePoint<T>;
  double(p: AffinePoint<T>): AffinePoint<T>;
  add(p: AffinePoint<T>, q: AffinePoint<T>): AffinePoint<T>;
  /** k·p for any k ≥ 0, not reduced modulo the group order. Throws RangeError for k < 0. */
  multiply(p: AffinePoint<T>, k: bigint): AffinePoint<T>;
}

/**
 * The readable twin that kernels and faster code are compared with. The result of every operation on
 * points of the curve is a point of the curve; inputs are not checked.
 */
export function createAffineGroup<T>(field: CoordinateField<T>, b: T): AffineGroup<T> {
  const { add: plus, sub: minus, mul: times, invert, zero } = field;

  /** Third intersection of the line of the given slope through p and the point with x-coordinate qx, mirrored. */
  const chord = (p: { x: T; y: T }, qx: T, slope: T): AffinePoint<T> => {
    const x = minus(minus(times(slope, slope), p.x), qx);
    return { x, y: minus(times(slope, minus(p.x, x)), p.y) };
  };

  const double = (p: AffinePoint<T>): AffinePoint<T> => {
    if (p === null || field.equal(p.y, zero)) return null;
    const square = times(p.x, p.x);
    const slope = times(plus(plus(square, square), square), invert(plus(p.y, p.y)));
    return chord(p, p.x, slope);
  };

  const add = (p: AffinePoint<T>, q: AffinePoint<T>): AffinePoint<T> => {
    if (p === null) return q;
    if (q === null) return p;
    if (field.equal(p.x, q.x)) return field.equal(p.y, q.y) ? double(p) : null;
    return chord(p, q.x, times(minus(q.y, p.y), invert(minus(q.x, p.x))));
  };

  const rightSide = (x: T): T => plus(times(times(x, x), x), b);

  return {
    rightSide,
    add,
    double,
    isOnCurve: (p) => p === null || field.equal(times(p.y, p.y), rightSide(p.x)),
    equal: (p, q) =>
      p === null || q === null ? p === q : field.equal(p.x, q.x) && field.equal(p.y, q.y),
    negate: (p) => (p === null ? null : { x: p.x, y: minus(zero, p.y) }),
    multiply(p, k) {
      if (k < 0n) throw new RangeError('scalar: expected k ≥ 0');
      let sum: AffinePoint<T> = null;
      let power = p;
      for (let rest = k; rest > 0n; rest >>= 1n) {
        if (rest & 1n) sum = add(sum, power);
        power = double(power);
      }
      return sum;
    },
  };
}
