import { CuzkError } from '../errors.ts';
import { mod } from '../field/modular.ts';
import { type EvaluationDomain, frDomainFor } from '../poly/domain.ts';
import { lagrangeAt } from '../poly/lagrange.ts';
import {
  allocateScalars,
  type PackedScalars,
  readScalar,
  writeScalar,
} from '../poly/packed-scalars.ts';
import {
  type CircuitShape,
  CLASS_MINUS_ONE,
  COLUMN_MASK,
  domainRows,
  GLOBAL_COLUMN,
  type ShapeSegment,
  type TemplateMatrix,
} from '../r1cs/shape.ts';

/** u_j(τ), v_j(τ), w_j(τ) of spec §4.1 for every column j: inputs, then aux. */
export interface QapAtTau {
  readonly domain: EvaluationDomain;
  readonly u: PackedScalars;
  readonly v: PackedScalars;
  readonly w: PackedScalars;
}

/** 2^k as a shift distance, k = 0 … 253, without a conversion a term. */
const SHIFTS = Array.from({ length: CLASS_MINUS_ONE }, (_, k) => BigInt(k));

/**
 * Sums for the columns of one instance, not reduced: a term adds less than 2^510 in absolute value, so even
 * 2^24 terms stay below 2^534, far cheaper than a division a term.
 */
interface ColumnSums {
  readonly u: bigint[];
  readonly v: bigint[];
  readonly w: bigint[];
}

const emptySums = (segment: ShapeSegment): ColumnSums => {
  const zeros = () => Array<bigint>(segment.inputs + segment.aux).fill(0n);
  return { u: zeros(), v: zeros(), w: zeros() };
};

/** Adds coefficient · lagrange to the sum of every column of one row. */
function addRow(
  { rowPointers, terms }: TemplateMatrix,
  row: number,
  lagrange: bigint,
  sums: { readonly local: bigint[]; readonly global: bigint[] },
  dictionary: readonly bigint[],
): void {
  const end = rowPointers[row + 1];
  for (let at = rowPointers[row]; at < end; at++) {
    const term = terms[at];
    const column = term & COLUMN_MASK;
    const sum = (column & GLOBAL_COLUMN) === 0 ? sums.local : sums.global;
    const index = column & ~GLOBAL_COLUMN;
    const kind = term >>> 24;
    if (kind === 0) sum[index] += lagrange;
    else if (kind < CLASS_MINUS_ONE) sum[index] += lagrange << SHIFTS[kind];
    else if (kind === CLASS_MINUS_ONE) sum[index] -= lagrange;
    else sum[index] += lagrange * dictionary[terms[++at]];
  }
}

/** Throws CuzkError SHAPE_MALFORMED where the segments do not add up to the circuit, or the first is repeated. */
export function assertShape(shape: CircuitShape): void {
  let [rows, inputs, aux] = [0, 0, 0];
  for (const segment of shape.segments) {
    rows += segment.instances * segment.rows;
    inputs += segment.instances * segment.inputs;
    aux += segment.instances * segment.aux;
  }
  const matches = rows === shape.constraints && inputs === shape.inputs && aux === shape.aux;
  if (!matches || shape.segments[0]?.instances !== 1) {
    throw new CuzkError('SHAPE_MALFORMED', 'circuit shape: segments do not add up to the circuit', {
      expected: `${shape.constraints} rows, ${shape.inputs} inputs, ${shape.aux} aux, first segment once`,
      found: `${rows} rows, ${inputs} inputs, ${aux} aux`,
    });
  }
}

/**
 * Evaluates the QAP of a circuit at τ (spec §4.1, §4.2), input rows included. One bigint sum for each column of
 * one instance is held at a time. `domain` defaults to the circuit's own over Fr. Throws RangeError for τ in
 * the domain, CuzkError SHAPE_MALFORMED where the segments do not add up.
 */
export function evaluateQapAtTau(
  shape: CircuitShape,
  tau: bigint,
  domain: EvaluationDomain = frDomainFor(domainRows(shape)),
): QapAtTau {
  assertShape(shape);
  const columns = shape.inputs + shape.aux;
  const qap = {
    domain,
    u: allocateScalars(columns),
    v: allocateScalars(columns),
    w: allocateScalars(columns),
  };
  const lagrange = lagrangeAt(domain, tau, domainRows(shape));
  const nextLagrange = (): bigint => lagrange.next().value ?? 0n;

  const [first] = shape.segments;
  const global = emptySums(first);
  let inputBase = 0;
  let auxBase = shape.inputs;
  for (const segment of shape.segments) {
    for (let instance = 0; instance < segment.instances; instance++) {
      const local = segment === first ? global : emptySums(segment);
      for (let row = 0; row < segment.rows; row++) {
        const value = nextLagrange();
        addRow(segment.a, row, value, { local: local.u, global: global.u }, shape.dictionary);
        addRow(segment.b, row, value, { local: local.v, global: global.v }, shape.dictionary);
        addRow(segment.c, row, value, { local: local.w, global: global.w }, shape.dictionary);
      }
      if (segment !== first) storeSums(qap, local, segment.inputs, inputBase, auxBase);
      inputBase += segment.inputs;
      auxBase += segment.aux;
    }
  }
  storeSums(qap, global, first.inputs, 0, shape.inputs);
  for (let input = 0; input < shape.inputs; input++) {
    const sum = readScalar(qap.u, input) + nextLagrange();
    writeScalar(qap.u, input, sum % domain.modulus);
  }
  return qap;
}

/** Reduces the sums of one instance into their columns. */
function storeSums(
  qap: QapAtTau,
  sums: ColumnSums,
  inputs: number,
  inputBase: number,
  auxBase: number,
): void {
  for (const name of ['u', 'v', 'w'] as const) {
    const values = sums[name];
    for (let i = 0; i < values.length; i++) {
      if (values[i] === 0n) continue;
      const column = i < inputs ? inputBase + i : auxBase + i - inputs;
      writeScalar(qap[name], column, mod(values[i], qap.domain.modulus));
    }
  }
}
