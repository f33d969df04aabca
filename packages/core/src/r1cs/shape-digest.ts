import { FR_MODULUS } from '../field/fr.ts';
import { FIRST_INTERNED } from './coefficient-table.ts';
import type { IncrementalHash } from './incremental-hash.ts';
import { type HashCheckpoints, RowHasher } from './row-hasher.ts';
import {
  type CircuitShape,
  CLASS_DICTIONARY,
  CLASS_MINUS_ONE,
  COLUMN_MASK,
  GLOBAL_COLUMN,
  type TemplateMatrix,
} from './shape.ts';

type HashedShape = Pick<CircuitShape, 'inputs' | 'aux' | 'constraints' | 'dictionary' | 'segments'>;

/** Where the variables of an instance lie: the counts that turn a column into an input or aux index. */
interface Placement {
  readonly globalInputs: number;
  readonly localInputs: number;
  readonly inputBase: number;
  readonly auxBase: number;
}

/** Value of a coefficient id: a class, or FIRST_INTERNED plus a dictionary index. */
function coefficientOf(shape: HashedShape, id: number): bigint {
  if (id >= FIRST_INTERNED) return shape.dictionary[id - FIRST_INTERNED];
  if (id === CLASS_MINUS_ONE) return FR_MODULUS - 1n;
  return id === CLASS_DICTIONARY ? 0n : 1n << BigInt(id);
}

const isEscape = (word: number): boolean => word >>> 24 === CLASS_DICTIONARY;

/** Number of terms in words from … end − 1, where an escaped term takes two words. */
function countTerms(terms: Uint32Array, from: number, end: number): number {
  let count = 0;
  for (let at = from; at < end; at++) {
    if (isEscape(terms[at])) at++;
    count++;
  }
  return count;
}

function hashCombination(
  hasher: RowHasher,
  { rowPointers, terms }: TemplateMatrix,
  row: number,
  { globalInputs, localInputs, inputBase, auxBase }: Placement,
): void {
  const end = rowPointers[row + 1];
  hasher.open(countTerms(terms, rowPointers[row], end));
  for (let at = rowPointers[row]; at < end; at++) {
    const word = terms[at];
    const id = isEscape(word) ? FIRST_INTERNED + terms[++at] : word >>> 24;
    const column = word & COLUMN_MASK;
    if (column < GLOBAL_COLUMN) {
      if (column < localInputs) hasher.term(false, inputBase + column, id);
      else hasher.term(true, auxBase + column - localInputs, id);
    } else {
      const shared = column - GLOBAL_COLUMN;
      if (shared < globalInputs) hasher.term(false, shared, id);
      else hasher.term(true, shared - globalInputs, id);
    }
  }
}

/**
 * The R1CS hash (spec §5.3) of the circuit that a template stands for, in lowercase hex: every row of every
 * instance is written out and hashed, only the gadgets are not run again. `hash` is a fresh BLAKE2s-256.
 */
export function shapeDigestOf(
  shape: HashedShape,
  hash: IncrementalHash,
  checkpoints?: HashCheckpoints,
): string {
  const hasher = new RowHasher(hash, shape, checkpoints);
  hasher.know(FIRST_INTERNED + shape.dictionary.length, (id) => coefficientOf(shape, id));
  const globalInputs = shape.segments[0].inputs;
  let inputBase = 0;
  let auxBase = 0;
  for (const segment of shape.segments) {
    for (let i = 0; i < segment.instances; i++) {
      const placement = { globalInputs, localInputs: segment.inputs, inputBase, auxBase };
      for (let row = 0; row < segment.rows; row++) {
        hashCombination(hasher, segment.a, row, placement);
        hashCombination(hasher, segment.b, row, placement);
        hashCombination(hasher, segment.c, row, placement);
        hasher.endRow();
      }
      inputBase += segment.inputs;
      auxBase += segment.aux;
    }
  }
  return hasher.finish();
}
