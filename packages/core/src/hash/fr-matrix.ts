import { FR_MODULUS, frInvert, frMul, frSub } from '../field/fr.ts';
import { mod } from '../field/modular.ts';

/** Rows of a matrix over Fr. */
export type FrMatrix = readonly (readonly bigint[])[];

const identityMatrix = (size: number): bigint[][] =>
  Array.from({ length: size }, (_, i) =>
    Array.from({ length: size }, (_, j) => (i === j ? 1n : 0n)),
  );

/** The row vector times the matrix: out_j = Σ_i vector_i · matrix[i][j]. */
export const vectorTimesMatrix = (vector: readonly bigint[], matrix: FrMatrix): bigint[] =>
  matrix[0].map((_, j) => {
    let sum = 0n;
    for (let i = 0; i < vector.length; i++) sum += vector[i] * matrix[i][j];
    return mod(sum, FR_MODULUS);
  });

export const multiplyMatrices = (left: FrMatrix, right: FrMatrix): bigint[][] =>
  left.map((row) => vectorTimesMatrix(row, right));

/** Gauss-Jordan inverse. Throws RangeError for a singular matrix. */
export function invertMatrix(matrix: FrMatrix): bigint[][] {
  const size = matrix.length;
  const identity = identityMatrix(size);
  const rows = matrix.map((row, i) => [...row, ...identity[i]]);
  for (let column = 0; column < size; column++) {
    const pivot = rows.findIndex((row, i) => i >= column && row[column] !== 0n);
    if (pivot < 0) throw new RangeError('invertMatrix: the matrix is singular');
    [rows[column], rows[pivot]] = [rows[pivot], rows[column]];
    const scale = frInvert(rows[column][column]);
    rows[column] = rows[column].map((value) => frMul(value, scale));
    for (let i = 0; i < size; i++) {
      const factor = rows[i][column];
      if (i === column || factor === 0n) continue;
      rows[i] = rows[i].map((value, j) => frSub(value, frMul(factor, rows[column][j])));
    }
  }
  return rows.map((row) => row.slice(size));
}
