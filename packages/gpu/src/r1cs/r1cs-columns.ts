import { FR_MODULUS } from '@cuzk/core/field/fr';
import { countBits, hasBit, rankOf, ranksOf } from '@cuzk/core/r1cs/bitmap';
import {
  CLASS_MINUS_ONE,
  GLOBAL_COLUMN,
  type ShapeSegment,
  type TemplateMatrix,
} from '@cuzk/core/r1cs/shape';

/** A short row's coefficient is stored in eight bits. */
const LARGEST_SHORT_COEFFICIENT = 127;
const TERM_KIND = { localBit: 0, sharedBit: 1, localInput: 2, localElement: 3, value: 4 } as const;
const SHARED_BIT = 1 << 23;

/** How the variables of a segment lie in a witness. */
export interface Columns {
  readonly inputs: number;
  readonly elementBitmap: Uint32Array;
  readonly ranks: Uint32Array;
  readonly elements: number;
}

/** The matrices of a segment and what its terms refer to. */
export interface RowReader {
  /** a, b and, where rows are to be checked, c. */
  readonly matrices: readonly TemplateMatrix[];
  readonly small: SmallCoefficients;
  readonly first: Columns;
  readonly own: Columns;
  readonly isFirst: boolean;
  readonly shapeInputs: number;
}

/** Small integer of a coefficient by class and by dictionary index; 0 where it is not small. */
export interface SmallCoefficients {
  readonly ofClass: Int8Array;
  readonly ofDictionary: Int8Array;
}

/** Which coefficients a short row may have: those of at most 127 in size. */
export function smallCoefficients(dictionary: readonly bigint[]): SmallCoefficients {
  const ofClass = new Int8Array(256);
  for (let k = 0; 2 ** k <= LARGEST_SHORT_COEFFICIENT; k++) ofClass[k] = 2 ** k;
  ofClass[CLASS_MINUS_ONE] = -1;
  const limit = BigInt(LARGEST_SHORT_COEFFICIENT);
  const ofDictionary = Int8Array.from(dictionary, (value) => {
    const signed = value > FR_MODULUS / 2n ? value - FR_MODULUS : value;
    return signed >= -limit && signed <= limit ? Number(signed) : 0;
  });
  return { ofClass, ofDictionary };
}

/** The columns of one segment, with the rank table of its elements. */
export function segmentColumns({ inputs, elementBitmap }: ShapeSegment): Columns {
  return {
    inputs,
    elementBitmap,
    ranks: ranksOf(elementBitmap),
    elements: countBits(elementBitmap),
  };
}

/** ONE counts as a bit: it is number 0 of the shared bits. */
export function isBit(reader: RowReader, column: number): boolean {
  const shared = column >= GLOBAL_COLUMN;
  const local = shared ? column - GLOBAL_COLUMN : column;
  const { inputs, elementBitmap } = shared ? reader.first : reader.own;
  if (local < inputs) return local === 0 && (shared || reader.isFirst);
  return !hasBit(elementBitmap, local - inputs);
}

/** Shared bits count the variables of the first segment; local ones the aux of the instance. */
export function bitNumber(reader: RowReader, column: number): number {
  if (column >= GLOBAL_COLUMN) return SHARED_BIT | (column - GLOBAL_COLUMN);
  return column < reader.own.inputs ? SHARED_BIT : column - reader.own.inputs;
}

/** Kind and index of a variable; shared inputs and elements are indices into the values buffer as they stand. */
export function placeOf(reader: RowReader, column: number): number {
  const pack = (kind: number, index: number): number => kind * 2 ** 28 + index;
  const shared = column >= GLOBAL_COLUMN;
  const local = shared ? column - GLOBAL_COLUMN : column;
  const { inputs, elementBitmap, ranks } = shared ? reader.first : reader.own;
  if (local < inputs) {
    if (local === 0 && (shared || reader.isFirst)) return pack(TERM_KIND.sharedBit, 0);
    return pack(shared ? TERM_KIND.value : TERM_KIND.localInput, local);
  }
  const aux = local - inputs;
  if (!hasBit(elementBitmap, aux)) {
    return shared ? pack(TERM_KIND.sharedBit, local) : pack(TERM_KIND.localBit, aux);
  }
  const rank = rankOf(elementBitmap, ranks, aux);
  return shared
    ? pack(TERM_KIND.value, reader.shapeInputs + rank)
    : pack(TERM_KIND.localElement, rank);
}
