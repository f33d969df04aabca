import { FR_MODULUS, frAdd, frMul } from '../field/fr.ts';
import { vectorTimesMatrix } from './fr-matrix.ts';
import {
  POSEIDON_FULL_ROUNDS,
  type PoseidonArity,
  type PoseidonConstants,
  poseidonConstants,
  type SparseMatrix,
} from './poseidon-constants.ts';

const HALF = POSEIDON_FULL_ROUNDS / 2;

function constantsFor(preimage: readonly bigint[]): PoseidonConstants {
  return poseidonConstants(preimage.length as PoseidonArity);
}

function pow5(x: bigint): bigint {
  const square = frMul(x, x);
  return frMul(frMul(square, square), x);
}

/**
 * Poseidon by its definition: constants, S-boxes and the dense matrix in every round (spec §6.14).
 * `preimage` holds 2, 4, 8 or 11 values in [0, r); the digest is state element 1. The twin that
 * `poseidonHash` and the circuit are compared with.
 */
export function poseidonHashPlain(preimage: readonly bigint[]): bigint {
  const { width, partialRounds, domainTag, raw, mds } = constantsFor(preimage);
  let state = [domainTag, ...preimage];
  for (let k = 0; k < POSEIDON_FULL_ROUNDS + partialRounds; k++) {
    const full = k < HALF || k >= HALF + partialRounds;
    state = state.map((value, i) => {
      const keyed = frAdd(value, raw[k * width + i]);
      return full || i === 0 ? pow5(keyed) : keyed;
    });
    state = vectorTimesMatrix(state, mds);
  }
  return state[1];
}

/** State times a sparse matrix (spec §6.14). */
function vectorTimesSparse(state: readonly bigint[], { wHat, v }: SparseMatrix): bigint[] {
  let first = 0n;
  for (let i = 0; i < state.length; i++) first += state[i] * wHat[i];
  const rest = v.map((factor, j) => (state[j + 1] + state[0] * factor) % FR_MODULUS);
  return [first % FR_MODULUS, ...rest];
}

/**
 * The same digest by the compressed constants and the sparse matrices: the evaluation that the circuit
 * follows row by row (spec §6.14, "optimised evaluation").
 */
export function poseidonHash(preimage: readonly bigint[]): bigint {
  const { width, partialRounds, domainTag, compressed, mds, preSparse, sparse } =
    constantsFor(preimage);
  const afterPartial = HALF + partialRounds;
  const last = POSEIDON_FULL_ROUNDS + partialRounds - 1;
  let state = [domainTag, ...preimage].map((value, i) => frAdd(value, compressed[i]));
  let key = width;
  for (let k = 0; k <= last; k++) {
    if (k >= HALF && k < afterPartial) {
      state[0] = frAdd(pow5(state[0]), compressed[key++]);
      state = vectorTimesSparse(state, sparse[k - HALF]);
      continue;
    }
    const offset = key;
    state = state.map((value, i) =>
      k === last ? pow5(value) : frAdd(pow5(value), compressed[offset + i]),
    );
    if (k !== last) key += width;
    state = vectorTimesMatrix(state, k === HALF - 1 ? preSparse : mds);
  }
  return state[1];
}
