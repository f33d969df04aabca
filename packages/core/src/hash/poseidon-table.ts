import { FR_MODULUS } from '../field/fr.ts';
import {
  POSEIDON_FULL_ROUNDS,
  type PoseidonConstants,
  type SparseMatrix,
} from './poseidon-constants.ts';

/** Limbs of one element in the WebAssembly module, and bits of each. */
const LIMBS = 9;
const LIMB_BITS = 29n;
const LIMB_MASK = 2n ** LIMB_BITS - 1n;
const R = 2n ** (LIMB_BITS * BigInt(LIMBS));
const HALF = POSEIDON_FULL_ROUNDS / 2;

const dot = (a: readonly bigint[], b: readonly bigint[]): bigint =>
  a.reduce((sum, value, i) => sum + value * b[i], 0n);

/**
 * Partial rounds that share one update of the elements behind the first. In such a block only element 0 is
 * kept up to date: after round k it is the dot product of those elements as they were before the block, then of
 * the S-boxes' results so far, with one row of these constants; at the end the same results, times one row of
 * constants for each of those elements, are added to it.
 */
function* blockConstants(
  matrices: readonly SparseMatrix[],
  keys: readonly bigint[],
): Generator<bigint> {
  for (const [k, { wHat }] of matrices.entries()) {
    const [head, ...rest] = wHat;
    yield keys[k];
    yield* rest;
    for (const { v } of matrices.slice(0, k)) yield dot(v, rest);
    yield head;
  }
  for (const j of matrices[0].v.keys()) for (const { v } of matrices) yield v[j];
}

/** All constants in the order in which the module takes them. */
function* tableConstants(constants: PoseidonConstants, block: number): Generator<bigint> {
  const { width, domainTag, compressed, mds, preSparse, sparse, partialRounds } = constants;
  yield R;
  for (const matrix of [mds, preSparse]) {
    for (let j = 0; j < width; j++) for (const row of matrix) yield row[j];
  }
  yield (domainTag + compressed[0]) ** 5n + compressed[width];
  for (let i = 1; i < width; i++) {
    yield compressed[i];
    yield compressed[width + i];
  }
  const firstPartial = width * (HALF + 1);
  yield* compressed.slice(2 * width, firstPartial);
  for (let k = 0; k < partialRounds; k += block) {
    const keys = compressed.slice(firstPartial + k, firstPartial + k + block);
    yield* blockConstants(sparse.slice(k, k + block), keys);
  }
  yield* compressed.slice(firstPartial + partialRounds);
}

/**
 * The constants of one Poseidon instance as the WebAssembly module reads them: 9 limbs of 29 bits an element,
 * Montgomery form with R = 2^261, in the order of use. `block` is the module's number of partial rounds a
 * block.
 */
export function poseidonTable(constants: PoseidonConstants, block: number): Uint32Array {
  const limbs: number[] = [];
  for (const constant of tableConstants(constants, block)) {
    let rest = (constant * R) % FR_MODULUS;
    for (let i = 0; i < LIMBS; i++) {
      limbs.push(Number(rest & LIMB_MASK));
      rest >>= LIMB_BITS;
    }
  }
  return Uint32Array.from(limbs);
}
