import { CuzkError } from '../errors.ts';
import { FR_BYTES, FR_MODULUS } from '../field/fr.ts';
import type { CompactWitness } from './compact-witness.ts';
import { sumOverInstances } from './density.ts';
import { ElementWriter } from './element-writer.ts';
import { countElements, instancesOf, RowEvaluator } from './row-evaluator.ts';
import type { CircuitShape } from './shape.ts';

/** Values of consecutive rows, 32 bytes canonical LE each; overwritten after the callback returns. */
export interface RowBlock {
  readonly firstRow: number;
  readonly rows: number;
  readonly a: Uint8Array;
  readonly b: Uint8Array;
  readonly c: Uint8Array;
}

export interface UnsatisfiedTemplateRow {
  /** Row of the whole circuit. */
  readonly row: number;
  /** Where its template lies. */
  readonly segment: number;
  readonly instance: number;
  readonly localRow: number;
}

const DEFAULT_BLOCK_ROWS = 1 << 16;
/** Products of two numbers below this bound are exact, so small rows need no bigint. */
const EXACT_FACTOR = 2 ** 26;

/** A witness of other sizes than the shape's would be read at wrong places. Throws WITNESS_MALFORMED. */
function requireFit(shape: CircuitShape, witness: CompactWitness): void {
  const expected = {
    inputs: FR_BYTES * shape.inputs,
    bitPlane: (shape.aux + 31) >>> 5,
    elements: 8 * sumOverInstances(shape, countElements),
  };
  for (const key of ['inputs', 'bitPlane', 'elements'] as const) {
    if (witness[key].length !== expected[key]) {
      throw new CuzkError('WITNESS_MALFORMED', `The witness does not fit the circuit: ${key}.`, {
        expected: `${expected[key]} entries`,
        found: `${witness[key].length} entries`,
      });
    }
  }
}

/**
 * Values of a, b and c of every row, input rows (spec §4.1) included, in blocks of `blockRows` rows. The
 * plain twin of the GPU's evaluation kernels. Throws CuzkError WITNESS_MALFORMED where the witness does not
 * have the sizes of the shape.
 */
export function evaluateShape(
  shape: CircuitShape,
  witness: CompactWitness,
  onBlock: (block: RowBlock) => void,
  blockRows: number = DEFAULT_BLOCK_ROWS,
): void {
  requireFit(shape, witness);
  const evaluator = new RowEvaluator(shape, witness);
  const [a, b, c] = [0, 1, 2].map(() => new ElementWriter(blockRows));
  let filled = 0;
  let firstRow = 0;
  const flush = (): void => {
    const end = FR_BYTES * filled;
    onBlock({
      firstRow,
      rows: filled,
      a: a.bytes.subarray(0, end),
      b: b.bytes.subarray(0, end),
      c: c.bytes.subarray(0, end),
    });
    firstRow += filled;
    filled = 0;
  };
  const push = (left: number | bigint, right: number | bigint, product: number | bigint): void => {
    a.write(filled, left);
    b.write(filled, right);
    c.write(filled, product);
    if (++filled === blockRows) flush();
  };
  for (const place of instancesOf(shape)) {
    const { segment } = place;
    evaluator.moveTo(place);
    for (let row = 0; row < segment.rows; row++) {
      push(
        evaluator.value(segment.a, row),
        evaluator.value(segment.b, row),
        evaluator.value(segment.c, row),
      );
    }
  }
  for (let i = 0; i < shape.inputs; i++) push(evaluator.input(i), 0, 0);
  if (filled > 0) flush();
}

function holds(left: number | bigint, right: number | bigint, product: number | bigint): boolean {
  if (
    typeof left === 'number' &&
    typeof right === 'number' &&
    typeof product === 'number' &&
    Math.abs(left) < EXACT_FACTOR &&
    Math.abs(right) < EXACT_FACTOR
  ) {
    return left * right === product;
  }
  return (BigInt(left) * BigInt(right) - BigInt(product)) % FR_MODULUS === 0n;
}

/** The first circuit row that the witness does not satisfy, or undefined. Throws as evaluateShape. */
export function firstUnsatisfiedRow(
  shape: CircuitShape,
  witness: CompactWitness,
): UnsatisfiedTemplateRow | undefined {
  requireFit(shape, witness);
  const evaluator = new RowEvaluator(shape, witness);
  for (const place of instancesOf(shape)) {
    const { segment, segmentIndex, instance, firstRow } = place;
    evaluator.moveTo(place);
    for (let row = 0; row < segment.rows; row++) {
      const left = evaluator.value(segment.a, row);
      const right = evaluator.value(segment.b, row);
      if (!holds(left, right, evaluator.value(segment.c, row))) {
        return { row: firstRow + row, segment: segmentIndex, instance, localRow: row };
      }
    }
  }
  return undefined;
}
