/**
 * Poseidon over Fr (x^5, 8 full rounds, sparse matrices in the partial ones) for trees and columns.
 *
 * Bounds, in multiples of r, with r/R < 1/70: constants are below 1. An S-box of an element below 23 gives
 * squares below 9 and, with its key, less than 3; a row of a dense matrix then gives less than 2. In the
 * partial rounds an element behind the first grows by less than 1.1 a block, so it stays below 2 + 19·1.1 < 23,
 * and the first, a dot product with those, below 6. All of it is far below R.
 */
import {
  addElement,
  addProduct,
  addSquare,
  ELEMENT,
  fold,
  PRODUCTS,
  pack,
  reduce,
  unpack,
} from './fr-limbs.ts';

/** Partial rounds that share one update of the elements behind the first. */
export const BLOCK: u32 = 3;
const FULL_ROUNDS: u32 = 8;

/** Where the preimage is put: up to 11 times 32 bytes, little-endian. */
export const PREIMAGE: usize = 1536;
/** Where the values are found: all of a witness, or the digest alone. */
export const VALUES: usize = 2048;
/** Where tables may be put, to the end of memory. */
export const TABLES: usize = 24576;

const FIRST_STATE: usize = 21504;
const SECOND_STATE: usize = 22528;
const POWERS: usize = 23552;

/** Where the next value of the witness goes; 0 while none is wanted. */
let cursor: usize = 0;
/** The next constant of the table. */
let constant: usize = 0;

function emit(a: usize): void {
  if (cursor === 0) return;
  pack(cursor, a);
  cursor += 32;
}

/** The dot product of `count` elements from `a` on with as many from `b` on. */
function addProducts(a: usize, b: usize, count: u32): void {
  for (let i: u32 = 0; i < count; i++) {
    if (i > 0 && i % PRODUCTS === 0) fold();
    addProduct(a + ELEMENT * i, b + ELEMENT * i);
  }
}

/** The powers that an S-box allocates: base², base⁴, and base⁵ + key, which stays at `target`. */
function powers(target: usize, base: usize, keyed: bool): void {
  addSquare(base);
  reduce(POWERS);
  emit(POWERS);
  addSquare(POWERS);
  reduce(POWERS);
  emit(POWERS);
  addProduct(POWERS, base);
  if (keyed) {
    addElement(constant);
    constant += ELEMENT;
  }
  reduce(target);
  emit(target);
}

function sbox(target: usize, base: usize, keyed: bool): void {
  emit(base);
  powers(target, base, keyed);
}

/** The first `count` elements of state times matrix; the matrix is stored by columns. */
function multiply(target: usize, state: usize, matrix: usize, width: u32, count: u32): void {
  for (let j: u32 = 0; j < count; j++) {
    addProducts(state, matrix + ELEMENT * j * width, width);
    reduce(target + ELEMENT * j);
  }
}

/** Element 0 is a constant after the first S-boxes; the preimage is used without a copy of it. */
function firstSboxes(state: usize, arity: u32, squareOfR: usize): void {
  memory.copy(state, constant, ELEMENT);
  constant += ELEMENT;
  for (let i: u32 = 0; i < arity; i++) {
    const element = state + ELEMENT * (i + 1);
    unpack(element, PREIMAGE + 32 * i);
    addProduct(element, squareOfR);
    addElement(constant);
    constant += ELEMENT;
    reduce(element);
    powers(element, element, true);
  }
}

function fullSboxes(state: usize, width: u32, keyed: bool): void {
  for (let i: u32 = 0; i < width; i++) sbox(state + ELEMENT * i, state + ELEMENT * i, keyed);
}

function partialRounds(state: usize, width: u32, rounds: u32): void {
  const rest = state + ELEMENT;
  const heads = state + ELEMENT * width;
  for (let done: u32 = 0; done < rounds; done += BLOCK) {
    const block = min(BLOCK, rounds - done);
    for (let k: u32 = 0; k < block; k++) {
      sbox(heads + ELEMENT * k, state, true);
      addProducts(rest, constant, width + k);
      constant += ELEMENT * (width + k);
      reduce(state);
    }
    for (let j: u32 = 0; j < width - 1; j++) {
      const element = rest + ELEMENT * j;
      addProducts(heads, constant, block);
      constant += ELEMENT * block;
      addElement(element);
      reduce(element);
    }
  }
}

/**
 * Poseidon of the preimage by the constants at `table`. Leaves at VALUES the aux of the gadget in the order
 * of allocation, the digest last; or the digest alone.
 */
export function poseidon(arity: u32, rounds: u32, table: usize, witness: bool): void {
  const width = arity + 1;
  const mds = table + ELEMENT;
  const preSparse = mds + ELEMENT * width * width;
  let state = FIRST_STATE;
  let next = SECOND_STATE;
  cursor = witness ? VALUES : 0;
  constant = preSparse + ELEMENT * width * width;
  firstSboxes(state, arity, table);
  for (let k: u32 = 0; k < FULL_ROUNDS; k++) {
    if (k > 0) fullSboxes(state, width, k < FULL_ROUNDS - 1);
    const half = k === FULL_ROUNDS / 2 - 1;
    multiply(next, state, half ? preSparse : mds, width, k < FULL_ROUNDS - 1 ? width : 2);
    const previous = state;
    state = next;
    next = previous;
    if (half) partialRounds(state, width, rounds);
  }
  pack(witness ? cursor : VALUES, state + ELEMENT);
}
