import { FR_MODULUS } from '../../field/fr.ts';
import { type FrMatrix, vectorTimesMatrix } from '../../hash/fr-matrix.ts';
import {
  POSEIDON_FULL_ROUNDS,
  type PoseidonArity,
  type PoseidonConstants,
  poseidonConstants,
  type SparseMatrix,
} from '../../hash/poseidon-constants.ts';
import type { ElementRef } from '../../r1cs/witness-sink.ts';

const HALF = POSEIDON_FULL_ROUNDS / 2;

/** Values in the order of allocation, as 64-bit words. */
interface Output {
  readonly quads: BigUint64Array;
  at: number;
}

function put(output: Output, value: bigint): bigint {
  const { quads, at } = output;
  quads[at] = value;
  quads[at + 1] = value >> 64n;
  quads[at + 2] = value >> 128n;
  quads[at + 3] = value >> 192n;
  output.at += 4;
  return value;
}

function take(quads: BigUint64Array, ref: ElementRef): bigint {
  const at = 4 * ref;
  return quads[at] | (quads[at + 1] << 64n) | (quads[at + 2] << 128n) | (quads[at + 3] << 192n);
}

/** The three products of an S-box: base², base⁴, and base⁵ + key, which is the result. */
function putPowers(output: Output, base: bigint, key: bigint): bigint {
  const square = put(output, (base * base) % FR_MODULUS);
  const fourth = put(output, (square * square) % FR_MODULUS);
  return put(output, (base * fourth + key) % FR_MODULUS);
}

const putSbox = (output: Output, value: bigint, key: bigint): bigint =>
  putPowers(output, put(output, value), key);

function timesSparse(state: bigint[], { wHat, v }: SparseMatrix): void {
  let first = 0n;
  for (let i = 0; i < state.length; i++) first += state[i] * wHat[i];
  const head = state[0];
  for (let j = 1; j < state.length; j++) state[j] = (state[j] + head * v[j - 1]) % FR_MODULUS;
  state[0] = first % FR_MODULUS;
}

/** The first round: the domain tag is a constant, and the preimage is used without a copy. */
function firstRound(output: Output, preimage: readonly bigint[], c: PoseidonConstants): bigint[] {
  const { width, compressed, domainTag, mds } = c;
  const constant = domainTag + compressed[0];
  const head = (constant ** 5n + compressed[width]) % FR_MODULUS;
  const rest = preimage.map((value, i) =>
    putPowers(output, (value + compressed[i + 1]) % FR_MODULUS, compressed[width + i + 1]),
  );
  return vectorTimesMatrix([head, ...rest], mds);
}

const fullRound = (
  output: Output,
  state: readonly bigint[],
  key: (i: number) => bigint,
  matrix: FrMatrix,
): bigint[] =>
  vectorTimesMatrix(
    state.map((value, i) => putSbox(output, value, key(i))),
    matrix,
  );

/** PoseidonKernel in bigint arithmetic: the plain form of the gadget's values, row by row (spec §6.15). */
export function poseidonKernelBigint(
  elements: Uint32Array,
  preimage: readonly ElementRef[],
  at: ElementRef,
): void {
  const constants = poseidonConstants(preimage.length as PoseidonArity);
  const { width, compressed, mds, preSparse, sparse } = constants;
  const quads = new BigUint64Array(elements.buffer, elements.byteOffset, elements.length / 2);
  const output = { quads, at: 4 * at };
  const values = preimage.map((ref) => take(quads, ref));
  let next = 2 * width;
  const keys = (): ((i: number) => bigint) => {
    const first = next;
    next += width;
    return (i) => compressed[first + i];
  };

  let state = firstRound(output, values, constants);
  for (let k = 1; k < HALF; k++) {
    state = fullRound(output, state, keys(), k === HALF - 1 ? preSparse : mds);
  }
  for (const matrix of sparse) {
    state[0] = putSbox(output, state[0], compressed[next++]);
    timesSparse(state, matrix);
  }
  for (let k = 1; k < HALF; k++) state = fullRound(output, state, keys(), mds);
  state = fullRound(output, state, () => 0n, mds);
  put(output, state[1]);
}
