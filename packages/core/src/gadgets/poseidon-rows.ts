import { frAdd, frMul, frPow } from '../field/fr.ts';
import {
  POSEIDON_FULL_ROUNDS,
  type PoseidonArity,
  type PoseidonConstants,
  poseidonConstants,
} from '../hash/poseidon-constants.ts';

/**
 * The rows of the Poseidon circuit with its variables numbered locally: 0 is ONE, 1 … arity the preimage,
 * then one new variable per row. They are the same for every invocation, so the long combinations of the
 * partial rounds are worked out once per arity.
 */
export type LocalTerms = ReadonlyMap<number, bigint>;

/** One row and the variable it brings: new = a·b + key, as A = a, B = b, C = {new: 1, ONE: −key}. */
export interface PoseidonRow {
  readonly a: LocalTerms;
  readonly b: LocalTerms;
  readonly key: bigint;
}

const HALF_FULL_ROUNDS = POSEIDON_FULL_ROUNDS / 2;
const LOCAL_ONE = 0;

const single = (local: number): LocalTerms => new Map([[local, 1n]]);

/** Σ coefficient_i · terms_i; zeros are dropped when rows are emitted. */
function combine(parts: readonly (readonly [bigint, LocalTerms])[]): LocalTerms {
  const sum = new Map<number, bigint>();
  for (const [factor, terms] of parts) {
    for (const [local, coefficient] of terms) {
      sum.set(local, frAdd(sum.get(local) ?? 0n, frMul(factor, coefficient)));
    }
  }
  return sum;
}

/** Row vector times matrix, on combinations. */
const timesMatrix = (
  state: readonly LocalTerms[],
  matrix: readonly (readonly bigint[])[],
): LocalTerms[] =>
  state.map((_, j) => combine(state.map((terms, i) => [matrix[i][j], terms] as const)));

function build(constants: PoseidonConstants): PoseidonRow[] {
  const { arity, width, partialRounds, compressed, mds, preSparse, sparse } = constants;
  const rows: PoseidonRow[] = [];
  let nextKey = 0;
  const emit = (a: LocalTerms, b: LocalTerms, key = 0n): LocalTerms => {
    rows.push({ a, b, key });
    return single(arity + rows.length);
  };
  /** x^5 + key of a combination that first becomes a variable of its own. */
  const sbox = (x: LocalTerms, key: bigint): LocalTerms => {
    const v = emit(x, single(LOCAL_ONE));
    const squared = emit(v, v);
    return emit(v, emit(squared, squared), key);
  };
  /** (x + pre)^5 + post of a preimage variable, the key folded into the combination. */
  const firstSbox = (x: LocalTerms, pre: bigint, post: bigint): LocalTerms => {
    const shifted = combine([
      [1n, x],
      [pre, single(LOCAL_ONE)],
    ]);
    const squared = emit(shifted, shifted);
    return emit(shifted, emit(squared, squared), post);
  };

  const tag = frAdd(frPow(frAdd(constants.domainTag, compressed[0]), 5n), compressed[width]);
  let state: LocalTerms[] = [new Map([[LOCAL_ONE, tag]])];
  for (let i = 1; i < width; i++) {
    state.push(firstSbox(single(i), compressed[i], compressed[width + i]));
  }
  state = timesMatrix(state, mds);
  nextKey = 2 * width;
  for (let round = 1; round < HALF_FULL_ROUNDS; round++) {
    state = state.map((x) => sbox(x, compressed[nextKey++]));
    state = timesMatrix(state, round === HALF_FULL_ROUNDS - 1 ? preSparse : mds);
  }
  for (let round = 0; round < partialRounds; round++) {
    const { wHat, v } = sparse[round];
    const first = sbox(state[0], compressed[nextKey++]);
    const mixed = [first, ...state.slice(1)];
    state = mixed.map((terms, j) =>
      j === 0
        ? combine(mixed.map((part, i) => [wHat[i], part] as const))
        : combine([
            [1n, terms],
            [v[j - 1], first],
          ]),
    );
  }
  for (let round = 0; round < HALF_FULL_ROUNDS; round++) {
    const isLast = round === HALF_FULL_ROUNDS - 1;
    state = state.map((x) => sbox(x, isLast ? 0n : compressed[nextKey++]));
    state = timesMatrix(state, mds);
  }
  emit(state[1], single(LOCAL_ONE));
  return rows;
}

const built = new Map<PoseidonArity, readonly PoseidonRow[]>();

/**
 * Rows of one Poseidon hash in the legacy form of spec §6.15; the last one brings the digest. Built on the
 * first call for an arity (tens of milliseconds) and then kept.
 */
export function poseidonRows(arity: PoseidonArity): readonly PoseidonRow[] {
  let rows = built.get(arity);
  if (rows === undefined) {
    rows = build(poseidonConstants(arity));
    built.set(arity, rows);
  }
  return rows;
}
