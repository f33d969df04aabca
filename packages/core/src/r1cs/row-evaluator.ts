import { countBits, hasBit, rankOf, ranksOf } from './bitmap.ts';
import type { CompactWitness } from './compact-witness.ts';
import {
  type CircuitShape,
  CLASS_DICTIONARY,
  CLASS_MINUS_ONE,
  COLUMN_MASK,
  GLOBAL_COLUMN,
  type ShapeSegment,
  type TemplateMatrix,
} from './shape.ts';

/** One placed copy of a segment. */
export interface SegmentInstance {
  readonly segment: ShapeSegment;
  readonly segmentIndex: number;
  readonly instance: number;
  readonly firstRow: number;
  readonly inputBase: number;
  readonly auxBase: number;
  readonly elementBase: number;
}

const QUADS = 4;
const LIMBS = 8;
const LIMB_BITS = 32;
/** 2^k for the bits of a limb; a table, because this is the innermost loop. */
const POWERS = Float64Array.from({ length: LIMB_BITS }, (_, k) => 2 ** k);

/**
 * Values of row combinations, read from the compact witness. A row in which only bits take part is added up
 * in machine numbers: in `small` for coefficients below 2^32, in 32-bit limbs above (exact for up to 2^21
 * terms). Elements and dictionary coefficients go through bigints.
 */
export class RowEvaluator {
  readonly #shape: CircuitShape;
  readonly #witness: CompactWitness;
  readonly #inputs: BigUint64Array;
  readonly #elements: BigUint64Array;
  readonly #ranks: readonly Uint32Array[];
  readonly #limbs = new Float64Array(LIMBS);
  #place: SegmentInstance;

  constructor(shape: CircuitShape, witness: CompactWitness) {
    this.#shape = shape;
    this.#witness = witness;
    this.#inputs = quads(witness.inputs);
    this.#elements = quads(witness.elements);
    this.#ranks = shape.segments.map((segment) => ranksOf(segment.elementBitmap));
    [this.#place] = instancesOf(shape);
  }

  /** Turns to another instance: columns are those of its segment from now on. */
  moveTo(place: SegmentInstance): void {
    this.#place = place;
  }

  /** Value of input i, canonical. */
  input(index: number): bigint {
    return quadAt(this.#inputs, index);
  }

  /** An integer congruent to the value of the combination, not reduced and possibly negative. */
  value({ rowPointers, terms }: TemplateMatrix, row: number): number | bigint {
    const { segment, auxBase } = this.#place;
    const { bitPlane } = this.#witness;
    let small = 0;
    let big = 0n;
    let hasLimbs = false;
    const end = rowPointers[row + 1];
    for (let at = rowPointers[row]; at < end; at++) {
      const word = terms[at];
      const kind = word >>> 24;
      const dictionaryIndex = kind === CLASS_DICTIONARY ? terms[++at] : 0;
      const column = word & COLUMN_MASK;
      const aux = column - segment.inputs;
      let value: number | bigint;
      // The bits of this instance are nearly all there is; everything else takes the general way.
      if (aux >= 0 && column < GLOBAL_COLUMN && !hasBit(segment.elementBitmap, aux)) {
        value = (bitPlane[(auxBase + aux) >>> 5] >>> ((auxBase + aux) & 31)) & 1;
      } else {
        value = this.#valueAt(column);
      }
      if (value === 0) continue;
      if (value !== 1 || kind === CLASS_DICTIONARY) {
        big += this.#coefficient(kind, dictionaryIndex) * BigInt(value);
      } else if (kind < LIMB_BITS) {
        small += POWERS[kind];
      } else if (kind === CLASS_MINUS_ONE) {
        small -= 1;
      } else {
        this.#limbs[kind >>> 5] += POWERS[kind & 31];
        hasLimbs = true;
      }
    }
    if (hasLimbs) big += this.#takeLimbs();
    return big === 0n ? small : big + BigInt(small);
  }

  /** 0 or 1 for bits and for ONE, a bigint for everything else. */
  #valueAt(column: number): number | bigint {
    const global = column >= GLOBAL_COLUMN;
    const local = global ? column - GLOBAL_COLUMN : column;
    const segment = global ? this.#shape.segments[0] : this.#place.segment;
    if (local < segment.inputs) {
      const index = (global ? 0 : this.#place.inputBase) + local;
      return index === 0 ? 1 : quadAt(this.#inputs, index);
    }
    const aux = local - segment.inputs;
    if (!hasBit(segment.elementBitmap, aux)) {
      return hasBit(this.#witness.bitPlane, (global ? 0 : this.#place.auxBase) + aux) ? 1 : 0;
    }
    const ranks = this.#ranks[global ? 0 : this.#place.segmentIndex];
    const rank = rankOf(segment.elementBitmap, ranks, aux);
    return quadAt(this.#elements, (global ? 0 : this.#place.elementBase) + rank);
  }

  #coefficient(kind: number, dictionaryIndex: number): bigint {
    if (kind === CLASS_DICTIONARY) return this.#shape.dictionary[dictionaryIndex];
    return kind === CLASS_MINUS_ONE ? -1n : 1n << BigInt(kind);
  }

  #takeLimbs(): bigint {
    let sum = 0n;
    for (let i = LIMBS - 1; i >= 0; i--) {
      sum = (sum << BigInt(LIMB_BITS)) + BigInt(this.#limbs[i]);
      this.#limbs[i] = 0;
    }
    return sum;
  }
}

/** Every instance of every segment, in row order. */
export function instancesOf(shape: Pick<CircuitShape, 'segments'>): SegmentInstance[] {
  const placed: SegmentInstance[] = [];
  let [firstRow, inputBase, auxBase, elementBase] = [0, 0, 0, 0];
  shape.segments.forEach((segment, segmentIndex) => {
    const elements = countElements(segment);
    for (let instance = 0; instance < segment.instances; instance++) {
      placed.push({
        segment,
        segmentIndex,
        instance,
        firstRow,
        inputBase,
        auxBase,
        elementBase,
      });
      firstRow += segment.rows;
      inputBase += segment.inputs;
      auxBase += segment.aux;
      elementBase += elements;
    }
  });
  return placed;
}

/** Element aux of one instance. */
export const countElements = (segment: ShapeSegment): number => countBits(segment.elementBitmap);

/** 32-byte values as four 64-bit words each; a copy only where the bytes are not aligned. */
function quads(values: Uint8Array | Uint32Array): BigUint64Array {
  const { buffer, byteOffset, byteLength } = values;
  if (byteOffset % 8 === 0) return new BigUint64Array(buffer, byteOffset, byteLength / 8);
  return new BigUint64Array(buffer.slice(byteOffset, byteOffset + byteLength));
}

function quadAt(values: BigUint64Array, index: number): bigint {
  const at = QUADS * index;
  return values[at] | (values[at + 1] << 64n) | (values[at + 2] << 128n) | (values[at + 3] << 192n);
}
