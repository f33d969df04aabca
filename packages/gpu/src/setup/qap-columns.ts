import {
  type CircuitShape,
  CLASS_DICTIONARY,
  COLUMN_MASK,
  GLOBAL_COLUMN,
  type ShapeSegment,
  type TemplateMatrix,
} from '@cuzk/core/r1cs/shape';

/** A matrix of the R1CS; at τ its columns are the values of the QAP polynomials u, v, w. */
export type QapMatrix = 'a' | 'b' | 'c';

/** The terms of a template by items (columns, or slices of long columns) instead of by rows. */
export interface TransposedTerms {
  /** Item k has the terms pointers[k] … pointers[k + 1] − 1. */
  readonly pointers: Uint32Array;
  /** Two words per term: row of the template, number of the coefficient (r1cs-program.ts, coefficientValues). */
  readonly terms: Uint32Array;
}

/** A column with too many terms for one invocation. */
export interface LongColumn {
  /** Column of the circuit (inputs, then aux); that of instance 0 where each instance has its own. */
  readonly column: number;
  /** From one instance's column to the next one's; 0 where all instances add to one column. */
  readonly stride: number;
  readonly firstSlice: number;
  readonly slices: number;
}

/** One matrix of a segment, transposed. */
export interface TransposedSegment {
  readonly instances: number;
  readonly rows: number;
  /** Row of the circuit of the first row of instance 0. */
  readonly firstRow: number;
  readonly inputs: number;
  readonly aux: number;
  /** Columns of the circuit of the first input and the first aux of instance 0. */
  readonly inputBase: number;
  readonly auxBase: number;
  /** An item for each variable of an instance, inputs first; long ones have no terms here. */
  readonly columns: TransposedTerms;
  /** At most `mostTerms` consecutive terms of a long column each. */
  readonly slices: TransposedTerms;
  readonly long: readonly LongColumn[];
}

/**
 * Transposes one matrix, segment by segment. Columns of the first segment that other segments use, and columns with
 * more than `mostTerms` terms in an instance, come as slices. Holds one segment's terms at a time: 8 bytes each.
 */
export function* transposeShape(
  shape: CircuitShape,
  matrix: QapMatrix,
  mostTerms: number,
): Generator<TransposedSegment> {
  const [first] = shape.segments;
  let [firstRow, inputBase, auxBase] = [0, 0, shape.inputs];
  for (const segment of shape.segments) {
    const { instances, rows, inputs, aux } = segment;
    const own = { inputs, inputBase, auxBase };
    const global = { inputs: first.inputs, inputBase: 0, auxBase: shape.inputs };
    const keys: Keys = {
      own: inputs + aux,
      // in the first segment both ways of naming a variable mean the same one
      global: segment === first ? 0 : first.inputs + first.aux,
      columnOf: (key) => {
        if (key >= inputs + aux) return { column: columnOf(global, key - inputs - aux), stride: 0 };
        return { column: columnOf(own, key), stride: key < inputs ? inputs : aux };
      },
    };
    yield {
      instances,
      rows,
      firstRow,
      inputs,
      aux,
      inputBase,
      auxBase,
      ...transposeTemplate(segment[matrix], segment, keys, mostTerms),
    };
    firstRow += instances * rows;
    inputBase += instances * inputs;
    auxBase += instances * aux;
  }
}

const columnOf = (
  { inputs, inputBase, auxBase }: { inputs: number; inputBase: number; auxBase: number },
  local: number,
): number => (local < inputs ? inputBase + local : auxBase + local - inputs);

/** Variables of a template by number: an instance's own ones, then the first segment's. */
interface Keys {
  readonly own: number;
  readonly global: number;
  columnOf(key: number): { column: number; stride: number };
}

function transposeTemplate(
  matrix: TemplateMatrix,
  { rows }: ShapeSegment,
  keys: Keys,
  mostTerms: number,
): Pick<TransposedSegment, 'columns' | 'slices' | 'long'> {
  const globalBase = keys.global === 0 ? 0 : keys.own;
  const counts = new Uint32Array(keys.own + keys.global);
  forEachTerm(matrix, rows, globalBase, (key) => {
    counts[key]++;
  });
  const isLong = (key: number): boolean => key >= keys.own || counts[key] > mostTerms;
  // counts become the place of the next term of each variable: short columns first, then long ones
  const pointers = new Uint32Array(keys.own + 1);
  const sizes = new Map<number, number>();
  let at = 0;
  for (let key = 0; key < counts.length; key++) {
    const count = counts[key];
    if (isLong(key)) {
      if (count > 0) sizes.set(key, count);
    } else {
      counts[key] = at;
      at += count;
    }
    if (key < keys.own) pointers[key + 1] = at;
  }
  const shortTerms = at;
  const slicePointers = [0];
  const long: LongColumn[] = [];
  for (const [key, size] of sizes) {
    const firstSlice = slicePointers.length - 1;
    counts[key] = at;
    for (let done = 0; done < size; done += mostTerms) {
      at += Math.min(mostTerms, size - done);
      slicePointers.push(at - shortTerms);
    }
    long.push({
      ...keys.columnOf(key),
      firstSlice,
      slices: slicePointers.length - 1 - firstSlice,
    });
  }
  const terms = new Uint32Array(2 * at);
  forEachTerm(matrix, rows, globalBase, (key, row, coefficient) => {
    const to = 2 * counts[key]++;
    terms[to] = row;
    terms[to + 1] = coefficient;
  });
  return {
    columns: { pointers, terms: terms.subarray(0, 2 * shortTerms) },
    slices: {
      pointers: Uint32Array.from(slicePointers),
      terms: terms.subarray(2 * shortTerms),
    },
    long,
  };
}

function forEachTerm(
  { rowPointers, terms }: TemplateMatrix,
  rows: number,
  globalBase: number,
  visit: (key: number, row: number, coefficient: number) => void,
): void {
  for (let row = 0; row < rows; row++) {
    const end = rowPointers[row + 1];
    for (let at = rowPointers[row]; at < end; at++) {
      const word = terms[at];
      const column = word & COLUMN_MASK;
      const key = (column & GLOBAL_COLUMN) === 0 ? column : globalBase + (column & ~GLOBAL_COLUMN);
      const kind = word >>> 24;
      visit(key, row, kind === CLASS_DICTIONARY ? kind + terms[++at] : kind);
    }
  }
}
