/**
 * Points of G1 of BLS12-381 added up by weight: coordinates in Montgomery form with R = 2^384, twelve 32-bit words each.
 *
 * An element is canonical, below p, which has 381 bits: two sums fit the words, and the two carries of a step of a
 * product fit one word together. Formulas as in src/curve/weighted-sum.ts, which is the plain twin.
 */

/** Bytes of an element, and of an affine point; x = y = 0 is infinity. */
const ELEMENT: usize = 48;
const POINT: usize = 96;
/** Most points and bits that are added up at once. */
export const MAX_POINTS: u32 = 512;
export const MAX_BITS: u32 = 512;

/** Words of p and of elements on their way; then the input: points in the order of the sum, and how many each bit has. */
const MODULUS: usize = 1024;
const X: usize = 1280;
const Y: usize = X + ELEMENT;
const Z: usize = Y + ELEMENT;
const TEMPORARIES: usize = Z + ELEMENT;
export const COUNTS: usize = 4096;
export const POINTS: usize = 8192;
/** The sum in Jacobian coordinates. */
export const SUM: usize = X;

const MASK: u64 = 0xffffffff;
const INVERSE: u64 = 0xfffcfffd; // of −p modulo 2^32

const P0: u64 = 0xffffaaab;
const P1: u64 = 0xb9feffff;
const P2: u64 = 0xb153ffff;
const P3: u64 = 0x1eabfffe;
const P4: u64 = 0xf6b0f624;
const P5: u64 = 0x6730d2a0;
const P6: u64 = 0xf38512bf;
const P7: u64 = 0x64774b84;
const P8: u64 = 0x434bacd7;
const P9: u64 = 0x4b1ba7b6;
const P10: u64 = 0x397fe69a;
const P11: u64 = 0x1a0111ea;

function at(i: usize): usize {
  return TEMPORARIES + ELEMENT * i;
}

/** target = a·b/R. Coarsely integrated operand scanning, both carries of a step below 2^32. */
function mul(target: usize, a: usize, b: usize): void {
  const a0: u64 = load<u32>(a);
  const a1: u64 = load<u32>(a, 4);
  const a2: u64 = load<u32>(a, 8);
  const a3: u64 = load<u32>(a, 12);
  const a4: u64 = load<u32>(a, 16);
  const a5: u64 = load<u32>(a, 20);
  const a6: u64 = load<u32>(a, 24);
  const a7: u64 = load<u32>(a, 28);
  const a8: u64 = load<u32>(a, 32);
  const a9: u64 = load<u32>(a, 36);
  const a10: u64 = load<u32>(a, 40);
  const a11: u64 = load<u32>(a, 44);
  let t0: u64 = 0;
  let t1: u64 = 0;
  let t2: u64 = 0;
  let t3: u64 = 0;
  let t4: u64 = 0;
  let t5: u64 = 0;
  let t6: u64 = 0;
  let t7: u64 = 0;
  let t8: u64 = 0;
  let t9: u64 = 0;
  let t10: u64 = 0;
  let t11: u64 = 0;
  for (let i: usize = 0; i < ELEMENT; i += 4) {
    const factor: u64 = load<u32>(b + i);
    let sum = t0 + a0 * factor;
    const q = ((sum & MASK) * INVERSE) & MASK;
    let high = sum >> 32;
    let carry = ((sum & MASK) + q * P0) >> 32;
    sum = t1 + a1 * factor + high;
    high = sum >> 32;
    sum = (sum & MASK) + q * P1 + carry;
    t0 = sum & MASK;
    carry = sum >> 32;
    sum = t2 + a2 * factor + high;
    high = sum >> 32;
    sum = (sum & MASK) + q * P2 + carry;
    t1 = sum & MASK;
    carry = sum >> 32;
    sum = t3 + a3 * factor + high;
    high = sum >> 32;
    sum = (sum & MASK) + q * P3 + carry;
    t2 = sum & MASK;
    carry = sum >> 32;
    sum = t4 + a4 * factor + high;
    high = sum >> 32;
    sum = (sum & MASK) + q * P4 + carry;
    t3 = sum & MASK;
    carry = sum >> 32;
    sum = t5 + a5 * factor + high;
    high = sum >> 32;
    sum = (sum & MASK) + q * P5 + carry;
    t4 = sum & MASK;
    carry = sum >> 32;
    sum = t6 + a6 * factor + high;
    high = sum >> 32;
    sum = (sum & MASK) + q * P6 + carry;
    t5 = sum & MASK;
    carry = sum >> 32;
    sum = t7 + a7 * factor + high;
    high = sum >> 32;
    sum = (sum & MASK) + q * P7 + carry;
    t6 = sum & MASK;
    carry = sum >> 32;
    sum = t8 + a8 * factor + high;
    high = sum >> 32;
    sum = (sum & MASK) + q * P8 + carry;
    t7 = sum & MASK;
    carry = sum >> 32;
    sum = t9 + a9 * factor + high;
    high = sum >> 32;
    sum = (sum & MASK) + q * P9 + carry;
    t8 = sum & MASK;
    carry = sum >> 32;
    sum = t10 + a10 * factor + high;
    high = sum >> 32;
    sum = (sum & MASK) + q * P10 + carry;
    t9 = sum & MASK;
    carry = sum >> 32;
    sum = t11 + a11 * factor + high;
    high = sum >> 32;
    sum = (sum & MASK) + q * P11 + carry;
    t10 = sum & MASK;
    carry = sum >> 32;
    t11 = high + carry;
  }
  store<u32>(target, <u32>t0);
  store<u32>(target, <u32>t1, 4);
  store<u32>(target, <u32>t2, 8);
  store<u32>(target, <u32>t3, 12);
  store<u32>(target, <u32>t4, 16);
  store<u32>(target, <u32>t5, 20);
  store<u32>(target, <u32>t6, 24);
  store<u32>(target, <u32>t7, 28);
  store<u32>(target, <u32>t8, 32);
  store<u32>(target, <u32>t9, 36);
  store<u32>(target, <u32>t10, 40);
  store<u32>(target, <u32>t11, 44);
  subtractModulus(target);
}

/** Subtracts p from the words at `a` where they are not below it; true where that was so. */
function subtractModulus(a: usize): bool {
  for (let i: usize = ELEMENT; i > 0; ) {
    i -= 4;
    const word = load<u32>(a + i);
    const limit = load<u32>(MODULUS + i);
    if (word < limit) return false;
    if (word > limit) break;
  }
  difference(a, a, MODULUS);
  return true;
}

/** target = a − b modulo 2^384; true where b was larger. */
function difference(target: usize, a: usize, b: usize): bool {
  let borrow: i64 = 0;
  for (let i: usize = 0; i < ELEMENT; i += 4) {
    const value = <i64>load<u32>(a + i) - <i64>load<u32>(b + i) + borrow;
    store<u32>(target + i, <u32>value);
    borrow = value >> 32;
  }
  return borrow !== 0;
}

/** target = a + b modulo 2^384. */
function sum(target: usize, a: usize, b: usize): void {
  let carry: u64 = 0;
  for (let i: usize = 0; i < ELEMENT; i += 4) {
    const value = <u64>load<u32>(a + i) + <u64>load<u32>(b + i) + carry;
    store<u32>(target + i, <u32>value);
    carry = value >> 32;
  }
}

function add(target: usize, a: usize, b: usize): void {
  sum(target, a, b);
  subtractModulus(target);
}

function sub(target: usize, a: usize, b: usize): void {
  if (difference(target, a, b)) sum(target, target, MODULUS);
}

function isZero(a: usize): bool {
  let bits: u32 = 0;
  for (let i: usize = 0; i < ELEMENT; i += 4) bits |= load<u32>(a + i);
  return bits === 0;
}

/** The words at `a` in two's complement, above −2^383 and below 2^383, modulo p. */
function canonicalize(a: usize): void {
  while (<i32>load<u32>(a, 44) < 0) sum(a, a, MODULUS);
  while (subtractModulus(a)) {}
}

/** The sum becomes twice itself (dbl-2009-l). */
function double(): void {
  const a = at(0);
  const b = at(1);
  const c = at(2);
  const d = at(3);
  const e = at(4);
  const s = at(5);
  mul(a, X, X);
  mul(b, Y, Y);
  mul(c, b, b);
  add(s, X, b);
  mul(s, s, s);
  sub(s, s, a);
  sub(s, s, c);
  add(d, s, s);
  add(e, a, a);
  add(e, e, a);
  mul(Z, Y, Z);
  add(Z, Z, Z);
  mul(X, e, e);
  sub(X, X, d);
  sub(X, X, d);
  sub(s, d, X);
  mul(Y, e, s);
  add(c, c, c);
  add(c, c, c);
  add(c, c, c);
  sub(Y, Y, c);
}

/** Adds the affine point at `p`, not infinity, to the sum, not infinity (madd-2007-bl). */
function addPoint(p: usize): void {
  const zz = at(0);
  const h = at(1);
  const half = at(2);
  const hh = at(3);
  const i = at(4);
  const j = at(5);
  const r = at(6);
  const v = at(7);
  const s = at(8);
  mul(zz, Z, Z);
  mul(h, p, zz);
  sub(h, h, X);
  mul(half, p + ELEMENT, Z);
  mul(half, half, zz);
  sub(half, half, Y);
  if (isZero(h)) {
    if (isZero(half)) double();
    else memory.fill(X, 0, 3 * ELEMENT);
    return;
  }
  mul(hh, h, h);
  add(i, hh, hh);
  add(i, i, i);
  mul(j, h, i);
  add(r, half, half);
  mul(v, X, i);
  mul(X, r, r);
  sub(X, X, j);
  sub(X, X, v);
  sub(X, X, v);
  mul(j, Y, j);
  add(j, j, j);
  sub(s, v, X);
  mul(Y, r, s);
  sub(Y, Y, j);
  add(s, Z, h);
  mul(s, s, s);
  sub(s, s, zz);
  sub(Z, s, hh);
}

/** Writes p; once. */
export function prepare(): void {
  store<u32>(MODULUS, <u32>P0);
  store<u32>(MODULUS, <u32>P1, 4);
  store<u32>(MODULUS, <u32>P2, 8);
  store<u32>(MODULUS, <u32>P3, 12);
  store<u32>(MODULUS, <u32>P4, 16);
  store<u32>(MODULUS, <u32>P5, 20);
  store<u32>(MODULUS, <u32>P6, 24);
  store<u32>(MODULUS, <u32>P7, 28);
  store<u32>(MODULUS, <u32>P8, 32);
  store<u32>(MODULUS, <u32>P9, 36);
  store<u32>(MODULUS, <u32>P10, 40);
  store<u32>(MODULUS, <u32>P11, 44);
}

/**
 * SUM = the points by weight, by Horner's rule: `bits` counts say how many of the points belong to each bit, the highest
 * first. Coordinates come as words in two's complement, above −2^383 and below 2^383; z is 0 where the sum is infinity.
 */
export function weightedSum(bits: u32): void {
  memory.fill(X, 0, 3 * ELEMENT);
  let next = POINTS;
  for (let bit: u32 = 0; bit < bits; bit++) {
    if (!isZero(Z)) double();
    for (let left = load<u32>(COUNTS + 4 * bit); left > 0; left--) {
      const point = next;
      next += POINT;
      canonicalize(point);
      canonicalize(point + ELEMENT);
      if (isZero(point) && isZero(point + ELEMENT)) continue;
      if (!isZero(Z)) {
        addPoint(point);
        continue;
      }
      memory.copy(X, point, POINT);
      setOne(Z);
    }
  }
}

/** R modulo p: one. */
function setOne(target: usize): void {
  store<u32>(target, 0x0002fffd);
  store<u32>(target, 0x76090000, 4);
  store<u32>(target, 0xc40c0002, 8);
  store<u32>(target, 0xebf4000b, 12);
  store<u32>(target, 0x53c758ba, 16);
  store<u32>(target, 0x5f489857, 20);
  store<u32>(target, 0x70525745, 24);
  store<u32>(target, 0x77ce5853, 28);
  store<u32>(target, 0xa256ec6d, 32);
  store<u32>(target, 0x5c071a97, 36);
  store<u32>(target, 0xfa80e493, 40);
  store<u32>(target, 0x15f65ec3, 44);
}
