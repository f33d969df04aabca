/**
 * Fr of BLS12-381 in nine limbs of 29 bits, each in a u32, in Montgomery form with R = 2^261.
 *
 * A product of two limbs is below 2^58, so columns of products are summed in u64 without carries, and a dot
 * product needs one reduction. R is more than 70 r, so sums need none: `reduce` of a sum S gives less than
 * S/R + r, and its caller sees to it that this stays below R. Only `pack` makes a value canonical.
 *
 * A column holds at most 9 limb products of each of PRODUCTS products, 9 of the reduction, a folded sum and a
 * carry: less than (6·9 + 9)·2^58 + 2^37, which is less than 2^64.
 *
 * Memory below 1536 belongs to this file.
 */

/** Bytes of one element in memory. */
export const ELEMENT: usize = 36;
/** Products that the columns can take, on top of a folded sum, before `fold` or `reduce`. */
export const PRODUCTS: u32 = 6;

const LIMB: u64 = 29;
const MASK: u64 = (1 << 29) - 1;
/** The modulus r; its lowest limb is 1, so −1/r mod 2^29 is −1. */
const R1: u64 = 0x1ffffff8;
const R2: u64 = 0x1f96ffbf;
const R3: u64 = 0x1b4805ff;
const R4: u64 = 0x1d80553b;
const R5: u64 = 0x0c0404d0;
const R6: u64 = 0x1520cce7;
const R7: u64 = 0x0a6533af;
const R8: u64 = 0x0073eda7;

/** Eighteen u64: the columns of the sum being formed. `reduce` leaves zeros. */
const COLUMNS: usize = 1024;
const REDUCED: usize = 1280;

/** Adds the product of the elements at `a` and `b` to the columns. */
export function addProduct(a: usize, b: usize): void {
  const a0: u64 = load<u32>(a);
  const a1: u64 = load<u32>(a, 4);
  const a2: u64 = load<u32>(a, 8);
  const a3: u64 = load<u32>(a, 12);
  const a4: u64 = load<u32>(a, 16);
  const a5: u64 = load<u32>(a, 20);
  const a6: u64 = load<u32>(a, 24);
  const a7: u64 = load<u32>(a, 28);
  const a8: u64 = load<u32>(a, 32);
  const b0: u64 = load<u32>(b);
  const b1: u64 = load<u32>(b, 4);
  const b2: u64 = load<u32>(b, 8);
  const b3: u64 = load<u32>(b, 12);
  const b4: u64 = load<u32>(b, 16);
  const b5: u64 = load<u32>(b, 20);
  const b6: u64 = load<u32>(b, 24);
  const b7: u64 = load<u32>(b, 28);
  const b8: u64 = load<u32>(b, 32);
  addColumn(0, a0 * b0);
  addColumn(1, a0 * b1 + a1 * b0);
  addColumn(2, a0 * b2 + a1 * b1 + a2 * b0);
  addColumn(3, a0 * b3 + a1 * b2 + a2 * b1 + a3 * b0);
  addColumn(4, a0 * b4 + a1 * b3 + a2 * b2 + a3 * b1 + a4 * b0);
  addColumn(5, a0 * b5 + a1 * b4 + a2 * b3 + a3 * b2 + a4 * b1 + a5 * b0);
  addColumn(6, a0 * b6 + a1 * b5 + a2 * b4 + a3 * b3 + a4 * b2 + a5 * b1 + a6 * b0);
  addColumn(7, a0 * b7 + a1 * b6 + a2 * b5 + a3 * b4 + a4 * b3 + a5 * b2 + a6 * b1 + a7 * b0);
  addColumn(
    8,
    a0 * b8 + a1 * b7 + a2 * b6 + a3 * b5 + a4 * b4 + a5 * b3 + a6 * b2 + a7 * b1 + a8 * b0,
  );
  addColumn(9, a1 * b8 + a2 * b7 + a3 * b6 + a4 * b5 + a5 * b4 + a6 * b3 + a7 * b2 + a8 * b1);
  addColumn(10, a2 * b8 + a3 * b7 + a4 * b6 + a5 * b5 + a6 * b4 + a7 * b3 + a8 * b2);
  addColumn(11, a3 * b8 + a4 * b7 + a5 * b6 + a6 * b5 + a7 * b4 + a8 * b3);
  addColumn(12, a4 * b8 + a5 * b7 + a6 * b6 + a7 * b5 + a8 * b4);
  addColumn(13, a5 * b8 + a6 * b7 + a7 * b6 + a8 * b5);
  addColumn(14, a6 * b8 + a7 * b7 + a8 * b6);
  addColumn(15, a7 * b8 + a8 * b7);
  addColumn(16, a8 * b8);
}

function addColumn(k: usize, value: u64): void {
  store<u64>(COLUMNS + 8 * k, load<u64>(COLUMNS + 8 * k) + value);
}

/** Adds the square of the element at `a` to the columns. */
export function addSquare(a: usize): void {
  const a0: u64 = load<u32>(a);
  const a1: u64 = load<u32>(a, 4);
  const a2: u64 = load<u32>(a, 8);
  const a3: u64 = load<u32>(a, 12);
  const a4: u64 = load<u32>(a, 16);
  const a5: u64 = load<u32>(a, 20);
  const a6: u64 = load<u32>(a, 24);
  const a7: u64 = load<u32>(a, 28);
  const a8: u64 = load<u32>(a, 32);
  addColumn(0, a0 * a0);
  addColumn(1, 2 * a0 * a1);
  addColumn(2, 2 * a0 * a2 + a1 * a1);
  addColumn(3, 2 * (a0 * a3 + a1 * a2));
  addColumn(4, 2 * (a0 * a4 + a1 * a3) + a2 * a2);
  addColumn(5, 2 * (a0 * a5 + a1 * a4 + a2 * a3));
  addColumn(6, 2 * (a0 * a6 + a1 * a5 + a2 * a4) + a3 * a3);
  addColumn(7, 2 * (a0 * a7 + a1 * a6 + a2 * a5 + a3 * a4));
  addColumn(8, 2 * (a0 * a8 + a1 * a7 + a2 * a6 + a3 * a5) + a4 * a4);
  addColumn(9, 2 * (a1 * a8 + a2 * a7 + a3 * a6 + a4 * a5));
  addColumn(10, 2 * (a2 * a8 + a3 * a7 + a4 * a6) + a5 * a5);
  addColumn(11, 2 * (a3 * a8 + a4 * a7 + a5 * a6));
  addColumn(12, 2 * (a4 * a8 + a5 * a7) + a6 * a6);
  addColumn(13, 2 * (a5 * a8 + a6 * a7));
  addColumn(14, 2 * a6 * a8 + a7 * a7);
  addColumn(15, 2 * a7 * a8);
  addColumn(16, a8 * a8);
}

/** Adds R times the element at `a` to the columns: what `reduce` gives is larger by the element. */
export function addElement(a: usize): void {
  for (let i: usize = 0; i < 9; i++) {
    const column = COLUMNS + 72 + 8 * i;
    store<u64>(column, load<u64>(column) + load<u32>(a + 4 * i));
  }
}

/** Moves what exceeds 29 bits of each column to the next one. */
export function fold(): void {
  let carry: u64 = 0;
  for (let k: usize = 0; k < 17; k++) {
    const column = COLUMNS + 8 * k;
    const value = load<u64>(column);
    store<u64>(column, (value & MASK) + carry);
    carry = value >> LIMB;
  }
  store<u64>(COLUMNS + 136, load<u64>(COLUMNS + 136) + carry);
}

function takeColumn(k: usize): u64 {
  const value = load<u64>(COLUMNS + 8 * k);
  store<u64>(COLUMNS + 8 * k, 0);
  return value;
}

/** Divides the sum in the columns by R modulo r, leaves it at `target` and zeros in the columns. */
export function reduce(target: usize): void {
  let sum = takeColumn(0);
  const q0 = (0 - sum) & MASK;
  sum = ((sum + q0) >> LIMB) + takeColumn(1) + q0 * R1;
  const q1 = (0 - sum) & MASK;
  sum = ((sum + q1) >> LIMB) + takeColumn(2) + q0 * R2 + q1 * R1;
  const q2 = (0 - sum) & MASK;
  sum = ((sum + q2) >> LIMB) + takeColumn(3) + q0 * R3 + q1 * R2 + q2 * R1;
  const q3 = (0 - sum) & MASK;
  sum = ((sum + q3) >> LIMB) + takeColumn(4) + q0 * R4 + q1 * R3 + q2 * R2 + q3 * R1;
  const q4 = (0 - sum) & MASK;
  sum = ((sum + q4) >> LIMB) + takeColumn(5) + q0 * R5 + q1 * R4 + q2 * R3 + q3 * R2 + q4 * R1;
  const q5 = (0 - sum) & MASK;
  sum =
    ((sum + q5) >> LIMB) +
    takeColumn(6) +
    (q0 * R6 + q1 * R5 + q2 * R4 + q3 * R3 + q4 * R2 + q5 * R1);
  const q6 = (0 - sum) & MASK;
  sum =
    ((sum + q6) >> LIMB) +
    takeColumn(7) +
    (q0 * R7 + q1 * R6 + q2 * R5 + q3 * R4 + q4 * R3 + q5 * R2 + q6 * R1);
  const q7 = (0 - sum) & MASK;
  sum =
    ((sum + q7) >> LIMB) +
    takeColumn(8) +
    (q0 * R8 + q1 * R7 + q2 * R6 + q3 * R5 + q4 * R4 + q5 * R3 + q6 * R2 + q7 * R1);
  const q8 = (0 - sum) & MASK;
  sum =
    ((sum + q8) >> LIMB) +
    takeColumn(9) +
    (q1 * R8 + q2 * R7 + q3 * R6 + q4 * R5 + q5 * R4 + q6 * R3 + q7 * R2 + q8 * R1);
  store<u32>(target, <u32>(sum & MASK));
  sum =
    (sum >> LIMB) +
    takeColumn(10) +
    (q2 * R8 + q3 * R7 + q4 * R6 + q5 * R5 + q6 * R4 + q7 * R3 + q8 * R2);
  store<u32>(target, <u32>(sum & MASK), 4);
  sum = (sum >> LIMB) + takeColumn(11) + q3 * R8 + q4 * R7 + q5 * R6 + q6 * R5 + q7 * R4 + q8 * R3;
  store<u32>(target, <u32>(sum & MASK), 8);
  sum = (sum >> LIMB) + takeColumn(12) + q4 * R8 + q5 * R7 + q6 * R6 + q7 * R5 + q8 * R4;
  store<u32>(target, <u32>(sum & MASK), 12);
  sum = (sum >> LIMB) + takeColumn(13) + q5 * R8 + q6 * R7 + q7 * R6 + q8 * R5;
  store<u32>(target, <u32>(sum & MASK), 16);
  sum = (sum >> LIMB) + takeColumn(14) + q6 * R8 + q7 * R7 + q8 * R6;
  store<u32>(target, <u32>(sum & MASK), 20);
  sum = (sum >> LIMB) + takeColumn(15) + q7 * R8 + q8 * R7;
  store<u32>(target, <u32>(sum & MASK), 24);
  sum = (sum >> LIMB) + takeColumn(16) + q8 * R8;
  store<u32>(target, <u32>(sum & MASK), 28);
  store<u32>(target, <u32>((sum >> LIMB) + takeColumn(17)), 32);
}

/** Writes the element at `a` to `target` as 32 canonical little-endian bytes, out of Montgomery form. */
export function pack(target: usize, a: usize): void {
  for (let i: usize = 0; i < 9; i++) store<u64>(COLUMNS + 8 * i, load<u32>(a + 4 * i));
  reduce(REDUCED);
  const l0: u64 = load<u32>(REDUCED);
  const l1: u64 = load<u32>(REDUCED, 4);
  const l2: u64 = load<u32>(REDUCED, 8);
  const l3: u64 = load<u32>(REDUCED, 12);
  const l4: u64 = load<u32>(REDUCED, 16);
  const l5: u64 = load<u32>(REDUCED, 20);
  const l6: u64 = load<u32>(REDUCED, 24);
  const l7: u64 = load<u32>(REDUCED, 28);
  const l8: u64 = load<u32>(REDUCED, 32);
  // An element below R reduces to at most r, and to r itself where it is a multiple of r other than 0.
  const isModulus =
    l0 === 1 &&
    l1 === R1 &&
    l2 === R2 &&
    l3 === R3 &&
    l4 === R4 &&
    l5 === R5 &&
    l6 === R6 &&
    l7 === R7;
  const keep: u64 = isModulus && l8 === R8 ? 0 : -1;
  store<u64>(target, keep & (l0 | (l1 << 29) | (l2 << 58)));
  store<u64>(target, keep & ((l2 >> 6) | (l3 << 23) | (l4 << 52)), 8);
  store<u64>(target, keep & ((l4 >> 12) | (l5 << 17) | (l6 << 46)), 16);
  store<u64>(target, keep & ((l6 >> 18) | (l7 << 11) | (l8 << 40)), 24);
}

/** Reads 32 little-endian bytes at `source` into limbs at `target`, as they are. */
export function unpack(target: usize, source: usize): void {
  const w0 = load<u64>(source);
  const w1 = load<u64>(source, 8);
  const w2 = load<u64>(source, 16);
  const w3 = load<u64>(source, 24);
  store<u32>(target, <u32>(w0 & MASK));
  store<u32>(target, <u32>((w0 >> 29) & MASK), 4);
  store<u32>(target, <u32>(((w0 >> 58) | (w1 << 6)) & MASK), 8);
  store<u32>(target, <u32>((w1 >> 23) & MASK), 12);
  store<u32>(target, <u32>(((w1 >> 52) | (w2 << 12)) & MASK), 16);
  store<u32>(target, <u32>((w2 >> 17) & MASK), 20);
  store<u32>(target, <u32>(((w2 >> 46) | (w3 << 18)) & MASK), 24);
  store<u32>(target, <u32>((w3 >> 11) & MASK), 28);
  store<u32>(target, <u32>(w3 >> 40), 32);
}
