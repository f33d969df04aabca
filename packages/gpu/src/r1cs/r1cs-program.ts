import { type CircuitShape, CLASS_MINUS_ONE } from '@cuzk/core/r1cs/shape';
import { type RowReader, segmentColumns, smallCoefficients } from './r1cs-columns.ts';
import { buildLong, type LongProgram } from './r1cs-long-program.ts';
import { buildChunks, classify, type ShortChunk } from './r1cs-short-program.ts';

/**
 * A shape as the evaluation kernels read it. Which variables are bits is static, so it is decided here, once per
 * circuit, and every term names its place in the witness directly. Rows are of two kinds: *short* ones (at most
 * seven terms, bits with small integer coefficients; 99.9 % of a hash circuit) are added up in integers, all
 * others are *long*. A row is long as soon as one of its combinations is.
 */
export interface SegmentProgram extends LongProgram {
  readonly instances: number;
  readonly rows: number;
  /** Circuit row, aux and input of instance 0, and the number of element aux before it. */
  readonly firstRow: number;
  readonly auxBase: number;
  readonly inputBase: number;
  readonly elementBase: number;
  readonly aux: number;
  readonly inputs: number;
  readonly elements: number;
  readonly chunks: readonly ShortChunk[];
}

/** The coefficients in the order of their numbers; the last one is added by the caller (R, for products). */
export function coefficientValues(shape: CircuitShape): bigint[] {
  const powers = Array.from({ length: CLASS_MINUS_ONE }, (_, k) => 1n << BigInt(k));
  return [...powers, -1n, ...shape.dictionary];
}

/** Programs of all segments. `check` adds c; without it rows are classified by a and b alone. */
export function buildPrograms(
  shape: CircuitShape,
  check: boolean,
  mostWords: number,
): SegmentProgram[] {
  const small = smallCoefficients(shape.dictionary);
  const first = segmentColumns(shape.segments[0]);
  const programs: SegmentProgram[] = [];
  let [firstRow, auxBase, inputBase, elementBase] = [0, 0, 0, 0];
  shape.segments.forEach((segment, index) => {
    const columns = segmentColumns(segment);
    const reader: RowReader = {
      matrices: check ? [segment.a, segment.b, segment.c] : [segment.a, segment.b],
      small,
      first,
      own: columns,
      isFirst: index === 0,
      shapeInputs: shape.inputs,
    };
    const isLong = classify(reader, segment.rows);
    programs.push({
      instances: segment.instances,
      rows: segment.rows,
      firstRow,
      auxBase,
      inputBase,
      elementBase,
      aux: segment.aux,
      inputs: segment.inputs,
      elements: columns.elements,
      chunks: buildChunks(reader, isLong, mostWords),
      ...buildLong(reader, isLong),
    });
    firstRow += segment.instances * segment.rows;
    auxBase += segment.instances * segment.aux;
    inputBase += segment.instances * segment.inputs;
    elementBase += segment.instances * columns.elements;
  });
  return programs;
}
