import { frInvert, frMul, frPow, frSub } from '@cuzk/core/field/fr';
import { frDomainFor } from '@cuzk/core/poly/domain';
import {
  type CircuitShape,
  CLASS_DICTIONARY,
  CLASS_MINUS_ONE,
  COLUMN_MASK,
  domainRows,
  GLOBAL_COLUMN,
  type ShapeSegment,
  type TemplateMatrix,
} from '@cuzk/core/r1cs/shape';

/** u_j(τ), v_j(τ), w_j(τ) of one column. */
export interface ColumnAtTau {
  readonly u: bigint;
  readonly v: bigint;
  readonly w: bigint;
}

interface Term {
  readonly row: number;
  readonly coefficient: bigint;
}

/** A few columns of a circuit of any size, by their definition; undefined for one with more than `mostTerms` terms. */
export function columnsAtTau(
  shape: CircuitShape,
  columns: readonly number[],
  tau: bigint,
  mostTerms: number,
): Map<number, ColumnAtTau | undefined> {
  const { size, omega } = frDomainFor(domainRows(shape));
  const scale = frMul(frSub(frPow(tau, BigInt(size)), 1n), frInvert(BigInt(size)));
  const lagrangeAt = (row: number): bigint => {
    const point = frPow(omega, BigInt(row));
    return frMul(frMul(scale, point), frInvert(frSub(tau, point)));
  };
  const sumOf = (terms: readonly Term[]): bigint =>
    terms.reduce((sum, { row, coefficient }) => sum + frMul(lagrangeAt(row), coefficient), 0n);
  const found = {
    u: termsOf(shape, 'a', columns, mostTerms),
    v: termsOf(shape, 'b', columns, mostTerms),
    w: termsOf(shape, 'c', columns, mostTerms),
  };
  return new Map(
    columns.map((column) => {
      const [u, v, w] = [found.u.get(column), found.v.get(column), found.w.get(column)];
      if (u === undefined || v === undefined || w === undefined) return [column, undefined];
      if (u.length + v.length + w.length > mostTerms) return [column, undefined];
      const inputRow = column < shape.inputs ? lagrangeAt(shape.constraints + column) : 0n;
      const reduced = (value: bigint): bigint => frMul(value, 1n);
      return [
        column,
        { u: reduced(sumOf(u) + inputRow), v: reduced(sumOf(v)), w: reduced(sumOf(w)) },
      ];
    }),
  );
}

/** Terms of each column; a column is left out once it has more than `mostTerms`. */
function termsOf(
  shape: CircuitShape,
  name: 'a' | 'b' | 'c',
  columns: readonly number[],
  mostTerms: number,
): Map<number, Term[]> {
  const found = new Map<number, Term[]>(columns.map((column) => [column, []]));
  const add = (column: number, row: number, coefficient: bigint): void => {
    const terms = found.get(column);
    if (terms === undefined) return;
    terms.push({ row, coefficient: frMul(coefficient, 1n) });
    if (terms.length > mostTerms) found.delete(column);
  };
  let [firstRow, inputBase, auxBase] = [0, 0, shape.inputs];
  const [first] = shape.segments;
  for (const segment of shape.segments) {
    const { instances, rows, inputs, aux } = segment;
    // which local variables, and of which instances, are wanted
    const own = new Map<number, number[]>();
    for (const column of columns) {
      const [base, width, offset] =
        column < shape.inputs ? [inputBase, inputs, 0] : [auxBase, aux, inputs];
      const at = column - base;
      if (at < 0 || at >= instances * width) continue;
      const local = offset + (at % width);
      own.set(local, [...(own.get(local) ?? []), Math.floor(at / width)]);
    }
    const ofFirst = (local: number): number =>
      local < first.inputs ? local : shape.inputs + local - first.inputs;
    scan(segment[name], segment, shape.dictionary, (variable, row, coefficient) => {
      const local = variable & ~GLOBAL_COLUMN;
      if (segment !== first && (variable & GLOBAL_COLUMN) !== 0) {
        const column = ofFirst(local);
        for (let i = 0; found.has(column) && i < instances; i++)
          add(column, firstRow + i * rows + row, coefficient());
        return;
      }
      for (const i of own.get(local) ?? []) {
        const column =
          local < inputs ? inputBase + i * inputs + local : auxBase + i * aux + local - inputs;
        add(column, firstRow + i * rows + row, coefficient());
      }
    });
    firstRow += instances * rows;
    inputBase += instances * inputs;
    auxBase += instances * aux;
  }
  return found;
}

function scan(
  { rowPointers, terms }: TemplateMatrix,
  { rows }: ShapeSegment,
  dictionary: readonly bigint[],
  visit: (variable: number, row: number, coefficient: () => bigint) => void,
): void {
  for (let row = 0; row < rows; row++) {
    for (let at = rowPointers[row]; at < rowPointers[row + 1]; at++) {
      const word = terms[at];
      const kind = word >>> 24;
      const entry = kind === CLASS_DICTIONARY ? terms[++at] : 0;
      visit(word & COLUMN_MASK, row, () => {
        if (kind === CLASS_DICTIONARY) return dictionary[entry];
        return kind === CLASS_MINUS_ONE ? frSub(0n, 1n) : 1n << BigInt(kind);
      });
    }
  }
}
