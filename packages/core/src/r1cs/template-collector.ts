import { bitmapOf, setBit } from './bitmap.ts';
import { BlankSystem } from './blank-system.ts';
import { FIRST_INTERNED } from './coefficient-table.ts';
import type { CircuitCounts } from './counting-collector.ts';
import type { LinearCombination } from './linear-combination.ts';
import { GLOBAL_COLUMN, type ShapeSegment } from './shape.ts';
import { TemplateMatrixBuilder } from './template-matrix-builder.ts';
import { FIRST_AUX, type Variable } from './variable.ts';

/** A segment under construction; bases are the first input and aux that belong to it. */
interface OpenSegment {
  readonly counts: CircuitCounts;
  readonly inputBase: number;
  readonly auxBase: number;
  readonly a: TemplateMatrixBuilder;
  readonly b: TemplateMatrixBuilder;
  readonly c: TemplateMatrixBuilder;
  readonly elements: Uint32Array;
  readonly aDensity: Uint32Array;
  readonly bDensity: Uint32Array;
  /** Local inputs that occur in B. */
  readonly bInputs: Uint32Array;
}

export type SegmentWithInputs = ShapeSegment & { readonly bInputs: Uint32Array };

function openSegment(counts: CircuitCounts, inputBase: number, auxBase: number): OpenSegment {
  if (counts.inputs + counts.aux > GLOBAL_COLUMN) {
    throw new RangeError(`segment: ${counts.inputs + counts.aux} variables do not fit 23 bits`);
  }
  const matrix = (): TemplateMatrixBuilder => new TemplateMatrixBuilder(counts.constraints);
  return {
    counts,
    inputBase,
    auxBase,
    a: matrix(),
    b: matrix(),
    c: matrix(),
    elements: bitmapOf(counts.aux),
    aDensity: bitmapOf(counts.aux),
    bDensity: bitmapOf(counts.aux),
    bInputs: bitmapOf(counts.inputs),
  };
}

/** Writes rows in the column numbering of shape.ts: first the preamble, then one instance. */
export class TemplateCollector extends BlankSystem {
  readonly #preamble: OpenSegment;
  readonly #dictionary: bigint[] = [];
  /** Dictionary index by coefficient id, in the order of first use in a row. */
  readonly #dictionaryIndex = new Map<number, number>();
  #current: OpenSegment;

  constructor(preamble: CircuitCounts) {
    super();
    this.#preamble = openSegment(preamble, 0, 0);
    this.#current = this.#preamble;
  }

  get dictionary(): readonly bigint[] {
    return this.#dictionary;
  }

  /** Ends the preamble; what follows belongs to the instance. */
  beginInstance(counts: CircuitCounts): void {
    this.#current = openSegment(counts, this.inputs, this.aux);
  }

  /** The segments in order. `instances` is that of the second one; 0 means that there is none. */
  finish(instances: number): SegmentWithInputs[] {
    const { inputs, aux, constraints } = this.#current.counts;
    const { inputBase, auxBase } = this.#current;
    const rowBase = instances === 0 ? 0 : this.#preamble.counts.constraints;
    if (
      this.inputs !== inputBase + inputs ||
      this.aux !== auxBase + aux ||
      this.constraints !== rowBase + constraints
    ) {
      throw new RangeError('template: the circuit did not have the announced counts');
    }
    const close = (segment: OpenSegment, count: number): SegmentWithInputs => ({
      instances: count,
      rows: segment.counts.constraints,
      inputs: segment.counts.inputs,
      aux: segment.counts.aux,
      a: segment.a.finish(),
      b: segment.b.finish(),
      c: segment.c.finish(),
      elementBitmap: segment.elements,
      aDensity: segment.aDensity,
      bDensity: segment.bDensity,
      bInputs: segment.bInputs,
    });
    const first = close(this.#preamble, 1);
    return instances === 0 ? [first] : [first, close(this.#current, instances)];
  }

  protected override onAlloc(isBit: boolean): void {
    if (!isBit) setBit(this.#current.elements, this.aux - this.#current.auxBase);
  }

  protected override onRow(a: LinearCombination, b: LinearCombination, c: LinearCombination): void {
    const current = this.#current;
    this.#append(current.a, a);
    this.#append(current.b, b);
    this.#append(current.c, c);
    for (let i = 0; i < a.length; i++) this.#markDense(a.variables[i], 'a');
    for (let i = 0; i < b.length; i++) this.#markDense(b.variables[i], 'b');
  }

  /** The segment that a variable belongs to. */
  #ownerOf(variable: Variable): OpenSegment {
    const { inputBase, auxBase } = this.#current;
    const isLocal = variable < FIRST_AUX ? variable >= inputBase : variable - FIRST_AUX >= auxBase;
    return isLocal ? this.#current : this.#preamble;
  }

  #columnOf(variable: Variable): number {
    const owner = this.#ownerOf(variable);
    const column =
      variable < FIRST_AUX
        ? variable - owner.inputBase
        : owner.counts.inputs + variable - FIRST_AUX - owner.auxBase;
    return owner === this.#current ? column : GLOBAL_COLUMN | column;
  }

  #append(matrix: TemplateMatrixBuilder, lc: LinearCombination): void {
    for (let i = 0; i < lc.length; i++) {
      const column = this.#columnOf(lc.variables[i]);
      const coefficient = lc.coefficients[i];
      if (coefficient < FIRST_INTERNED) matrix.classTerm(column, coefficient);
      else matrix.dictionaryTerm(column, this.#dictionaryIndexOf(coefficient));
    }
    matrix.endRow();
  }

  #dictionaryIndexOf(coefficient: number): number {
    let index = this.#dictionaryIndex.get(coefficient);
    if (index === undefined) {
      index = this.#dictionary.push(this.coefficients.valueOf(coefficient)) - 1;
      this.#dictionaryIndex.set(coefficient, index);
    }
    return index;
  }

  #markDense(variable: Variable, matrix: 'a' | 'b'): void {
    const owner = this.#ownerOf(variable);
    if (variable >= FIRST_AUX) {
      setBit(
        matrix === 'a' ? owner.aDensity : owner.bDensity,
        variable - FIRST_AUX - owner.auxBase,
      );
    } else if (matrix === 'b') {
      setBit(owner.bInputs, variable - owner.inputBase);
    }
  }
}
