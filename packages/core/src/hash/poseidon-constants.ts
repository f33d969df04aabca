import { FR_MODULUS, frAdd, frInvert } from '../field/fr.ts';
import { type FrMatrix, invertMatrix, multiplyMatrices, vectorTimesMatrix } from './fr-matrix.ts';
import { grainBits } from './grain-lfsr.ts';

/** Arities of Filecoin's Poseidon instances; 4 occurs in test shapes only. */
export type PoseidonArity = 2 | 4 | 8 | 11;

export const POSEIDON_FULL_ROUNDS = 8;
const HALF_FULL_ROUNDS = 4;
const PARTIAL_ROUNDS: Record<PoseidonArity, number> = { 2: 55, 4: 56, 8: 57, 11: 57 };

/** One sparse matrix: first column `wHat` (width values), first row wHat[0] then `v` (width − 1 values). */
export interface SparseMatrix {
  readonly wHat: readonly bigint[];
  readonly v: readonly bigint[];
}

/** Everything one Poseidon instance needs; values are canonical, in [0, r). */
export interface PoseidonConstants {
  readonly arity: PoseidonArity;
  /** arity + 1. */
  readonly width: number;
  readonly partialRounds: number;
  /** 2^arity − 1, the first state element (hash type "Merkle tree"). */
  readonly domainTag: bigint;
  /** (8 + partialRounds) · width round constants; round k uses width of them from k · width on. */
  readonly raw: readonly bigint[];
  /** 8 · width + partialRounds constants of the schedule that adds them after the S-boxes. */
  readonly compressed: readonly bigint[];
  readonly mds: FrMatrix;
  /** Replaces `mds` after the last full round of the first half. */
  readonly preSparse: FrMatrix;
  /** One per partial round, in the order of application. */
  readonly sparse: readonly SparseMatrix[];
}

function rawConstants(width: number, partialRounds: number): bigint[] {
  const nextBit = grainBits([
    [2, 1],
    [4, 1],
    [12, 255],
    [12, width],
    [10, POSEIDON_FULL_ROUNDS],
    [10, partialRounds],
    [30, 2 ** 30 - 1],
  ]);
  const draw = (): bigint => {
    let digits = '0b';
    for (let i = 0; i < 255; i++) digits += nextBit();
    const value = BigInt(digits);
    return value < FR_MODULUS ? value : draw();
  };
  return Array.from({ length: (POSEIDON_FULL_ROUNDS + partialRounds) * width }, draw);
}

/** Cauchy matrix M[i][j] = 1 / (i + j + width). */
const mdsMatrix = (width: number): bigint[][] =>
  Array.from({ length: width }, (_, i) =>
    Array.from({ length: width }, (_, j) => frInvert(BigInt(i + j + width))),
  );

/** Moves every round constant behind an S-box layer, leaving one constant per partial round. */
function compressConstants(
  raw: readonly bigint[],
  mds: FrMatrix,
  width: number,
  partialRounds: number,
): bigint[] {
  const inverse = invertMatrix(mds);
  const round = (k: number): readonly bigint[] => raw.slice(k * width, (k + 1) * width);
  const pulledBack = (keys: readonly bigint[]): bigint[] => vectorTimesMatrix(keys, inverse);
  const firstOfSecondHalf = HALF_FULL_ROUNDS + partialRounds;

  const compressed = [...round(0)];
  for (let k = 1; k < HALF_FULL_ROUNDS; k++) compressed.push(...pulledBack(round(k)));
  let pending = round(firstOfSecondHalf);
  const partial: bigint[] = [];
  for (let i = 1; i <= partialRounds; i++) {
    const [first, ...rest] = pulledBack(pending);
    partial.push(first);
    const earlier = round(firstOfSecondHalf - i);
    pending = [0n, ...rest].map((value, j) => frAdd(value, earlier[j]));
  }
  compressed.push(...pulledBack(pending), ...partial.reverse());
  for (let k = firstOfSecondHalf + 1; k < firstOfSecondHalf + HALF_FULL_ROUNDS; k++) {
    compressed.push(...pulledBack(round(k)));
  }
  return compressed;
}

/**
 * Splits the MDS of the partial rounds into one dense matrix before them and a sparse one in each.
 *
 * Spec §6.14 repeats, from current = M: with v and w the first row and column of `current` and L the rest,
 * record [corner, L⁻¹·w] and v, then current = M · diag(1, L). Since the first column of that product is again
 * that of M, and its lower block M' · L, the k-th step has L = M'^(k+1), the w of M, and v·M'^k of M's v: powers
 * that vectors can walk through.
 */
function factoriseSparse(
  mds: FrMatrix,
  partialRounds: number,
): { preSparse: FrMatrix; sparse: SparseMatrix[] } {
  const lower = mds.slice(1).map((row) => row.slice(1));
  const inverse = invertMatrix(lower);
  const sparse: SparseMatrix[] = [];
  let rows: FrMatrix = mds.map((row) => row.slice(1));
  // The powers of the symmetric M' are symmetric, so a row times one is the column it is wanted for.
  let column: readonly bigint[] = mds.slice(1).map((row) => row[0]);
  for (let k = 0; k < partialRounds; k++) {
    column = vectorTimesMatrix(column, inverse);
    sparse.push({ wHat: [mds[0][0], ...column], v: rows[0] });
    rows = multiplyMatrices(rows, lower);
  }
  return { preSparse: rows.map((row, i) => [mds[i][0], ...row]), sparse: sparse.reverse() };
}

function derive(arity: PoseidonArity): PoseidonConstants {
  const width = arity + 1;
  const partialRounds = poseidonPartialRounds(arity);
  const raw = rawConstants(width, partialRounds);
  const mds = mdsMatrix(width);
  return {
    arity,
    width,
    partialRounds,
    domainTag: (1n << BigInt(arity)) - 1n,
    raw,
    compressed: compressConstants(raw, mds, width, partialRounds),
    mds,
    ...factoriseSparse(mds, partialRounds),
  };
}

/** Rounds with one S-box only. Throws RangeError for an arity without an instance. */
export function poseidonPartialRounds(arity: PoseidonArity): number {
  const rounds = PARTIAL_ROUNDS[arity];
  if (rounds === undefined) {
    throw new RangeError(`Poseidon arity: expected 2, 4, 8 or 11, got ${arity}`);
  }
  return rounds;
}

const derived = new Map<PoseidonArity, PoseidonConstants>();

/**
 * Constants of the Poseidon instance of this arity: strength "standard", hash type "Merkle tree", x^5,
 * derived from the Grain LFSR on the first call (some tens of milliseconds) and then kept
 * (spec §6.14). Throws RangeError for any other arity.
 */
export function poseidonConstants(arity: PoseidonArity): PoseidonConstants {
  let constants = derived.get(arity);
  if (constants === undefined) {
    constants = derive(arity);
    derived.set(arity, constants);
  }
  return constants;
}
