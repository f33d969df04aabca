import {
  type CircuitShape,
  CLASS_DICTIONARY,
  COLUMN_MASK,
  GLOBAL_COLUMN,
  type ShapeSegment,
  type TemplateMatrix,
} from '../../r1cs/shape.ts';

/** One row as [column, class, dictionary index where the class has one] each term. */
export type Cell = readonly [column: number, kind: number, index?: number];

export function matrixOf(rows: readonly (readonly Cell[])[]): TemplateMatrix {
  const rowPointers = [0];
  const terms: number[] = [];
  for (const row of rows) {
    for (const [column, kind, index] of row) {
      terms.push(((kind << 24) | column) >>> 0);
      if (kind === CLASS_DICTIONARY) terms.push(index ?? -1);
    }
    rowPointers.push(terms.length);
  }
  return { rowPointers: Uint32Array.from(rowPointers), terms: Uint32Array.from(terms) };
}

function rowOf({ rowPointers, terms }: TemplateMatrix, row: number): Cell[] {
  const cells: Cell[] = [];
  for (let at = rowPointers[row]; at < rowPointers[row + 1]; at++) {
    const [column, kind] = [terms[at] & COLUMN_MASK, terms[at] >>> 24];
    cells.push(kind === CLASS_DICTIONARY ? [column, kind, terms[++at]] : [column, kind]);
  }
  return cells;
}

interface Placed {
  readonly segment: ShapeSegment;
  /** Columns of the whole circuit where this instance's inputs and aux begin. */
  readonly inputBase: number;
  readonly auxBase: number;
}

function placeInstances(shape: CircuitShape): Placed[] {
  const placed: Placed[] = [];
  let [inputBase, auxBase] = [0, shape.inputs];
  for (const segment of shape.segments) {
    for (let i = 0; i < segment.instances; i++) {
      placed.push({ segment, inputBase, auxBase });
      inputBase += segment.inputs;
      auxBase += segment.aux;
    }
  }
  return placed;
}

/** The rows of a segmented circuit with columns of the whole circuit: the meaning of the template form. */
export function writeOutRows(shape: CircuitShape, name: 'a' | 'b' | 'c'): Cell[][] {
  const instances = placeInstances(shape);
  return instances.flatMap((own) => {
    const columnOf = (column: number): number => {
      const { segment, inputBase, auxBase } = column & GLOBAL_COLUMN ? instances[0] : own;
      const local = column & ~GLOBAL_COLUMN;
      return local < segment.inputs ? inputBase + local : auxBase + local - segment.inputs;
    };
    return Array.from({ length: own.segment.rows }, (_, row) =>
      rowOf(own.segment[name], row).map(([column, ...rest]): Cell => [columnOf(column), ...rest]),
    );
  });
}
