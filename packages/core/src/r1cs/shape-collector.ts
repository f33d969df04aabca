import { bitmapOf, countBits, setBit } from './bitmap.ts';
import { BlankSystem } from './blank-system.ts';
import { COEFFICIENT_MINUS_ONE, COEFFICIENT_ONE } from './coefficient-table.ts';
import { type SegmentedCircuit, synthesize } from './constraint-system.ts';
import { type CircuitCounts, countCircuit } from './counting-collector.ts';
import type { IncrementalHash } from './incremental-hash.ts';
import type { LinearCombination } from './linear-combination.ts';
import { type HashCheckpoints, RowHasher } from './row-hasher.ts';
import { FIRST_AUX, ONE } from './variable.ts';

/** One figure for each of the matrices A, B and C. */
export interface PerMatrix<T> {
  a: T;
  b: T;
  c: T;
}

/** All that a circuit is without a witness, except the rows themselves. */
export interface ShapeSummary extends CircuitCounts {
  /** The R1CS hash of spec §5.3, lowercase hex. */
  readonly shapeDigest: string;
  readonly nonZeroTerms: Readonly<PerMatrix<number>>;
  readonly longestCombination: Readonly<PerMatrix<number>>;
  /** Bitmaps over aux (`bInputDensity`: over inputs) of variables with a term in A, in B. */
  readonly aDensity: Uint32Array;
  readonly bDensity: Uint32Array;
  readonly bInputDensity: Uint32Array;
  /** Bitmap over aux of the variables allocated as bits. */
  readonly typedBits: Uint32Array;
  /** Bitmap over aux of those that have a row {ONE: 1, v: −1}·{v: 1} = {} of their own. */
  readonly booleanRows: Uint32Array;
  /** Set bits of `booleanRows`. */
  readonly booleanRowCount: number;
}

/** Aux index of the variable that this row makes a bit, or −1 where the row is of another form. */
function booleanRowOf(a: LinearCombination, b: LinearCombination, c: LinearCombination): number {
  if (c.length !== 0 || b.length !== 1 || a.length !== 2) return -1;
  const variable = b.variables[0];
  const matches =
    variable >= FIRST_AUX &&
    a.variables[0] === ONE &&
    a.coefficients[0] === COEFFICIENT_ONE &&
    a.variables[1] === variable &&
    a.coefficients[1] === COEFFICIENT_MINUS_ONE &&
    b.coefficients[0] === COEFFICIENT_ONE;
  return matches ? variable - FIRST_AUX : -1;
}

/** Streams the rows into the R1CS hash and gathers every static figure on the way. */
export class ShapeCollector extends BlankSystem {
  readonly #totals: CircuitCounts;
  readonly #hasher: RowHasher;
  readonly #nonZeroTerms: PerMatrix<number> = { a: 0, b: 0, c: 0 };
  readonly #longest: PerMatrix<number> = { a: 0, b: 0, c: 0 };
  readonly #aDensity: Uint32Array;
  readonly #bDensity: Uint32Array;
  readonly #bInputDensity: Uint32Array;
  readonly #typedBits: Uint32Array;
  readonly #booleanRows: Uint32Array;

  /** `totals` are hashed before the first row, so they are needed before it. */
  constructor(totals: CircuitCounts, hash: IncrementalHash, checkpoints?: HashCheckpoints) {
    super();
    this.#totals = totals;
    this.#hasher = new RowHasher(hash, totals, checkpoints);
    this.#aDensity = bitmapOf(totals.aux);
    this.#bDensity = bitmapOf(totals.aux);
    this.#bInputDensity = bitmapOf(totals.inputs);
    this.#typedBits = bitmapOf(totals.aux);
    this.#booleanRows = bitmapOf(totals.aux);
  }

  /** Ends the hash. Throws RangeError where the circuit did not have the announced totals. */
  finish(): ShapeSummary {
    const { inputs, aux, constraints } = this;
    const totals = this.#totals;
    if (inputs !== totals.inputs || aux !== totals.aux || constraints !== totals.constraints) {
      throw new RangeError(
        `shape: expected ${totals.inputs} inputs, ${totals.aux} aux, ${totals.constraints} rows, ` +
          `found ${inputs}, ${aux}, ${constraints}`,
      );
    }
    return {
      inputs,
      aux,
      constraints,
      shapeDigest: this.#hasher.finish(),
      nonZeroTerms: this.#nonZeroTerms,
      longestCombination: this.#longest,
      aDensity: this.#aDensity,
      bDensity: this.#bDensity,
      bInputDensity: this.#bInputDensity,
      typedBits: this.#typedBits,
      booleanRows: this.#booleanRows,
      booleanRowCount: countBits(this.#booleanRows),
    };
  }

  protected override onAlloc(isBit: boolean): void {
    if (isBit) setBit(this.#typedBits, this.aux);
  }

  protected override onRow(a: LinearCombination, b: LinearCombination, c: LinearCombination): void {
    const hasher = this.#hasher;
    hasher.knowTable(this.coefficients);
    hasher.combination(a);
    hasher.combination(b);
    hasher.combination(c);
    hasher.endRow();
    this.#measure(a, b, c);
    const bit = booleanRowOf(a, b, c);
    if (bit >= 0) setBit(this.#booleanRows, bit);
  }

  #measure(a: LinearCombination, b: LinearCombination, c: LinearCombination): void {
    const terms = this.#nonZeroTerms;
    const longest = this.#longest;
    terms.a += a.length;
    terms.b += b.length;
    terms.c += c.length;
    if (a.length > longest.a) longest.a = a.length;
    if (b.length > longest.b) longest.b = b.length;
    if (c.length > longest.c) longest.c = c.length;
    for (let i = 0; i < a.length; i++) {
      const variable = a.variables[i];
      if (variable >= FIRST_AUX) setBit(this.#aDensity, variable - FIRST_AUX);
    }
    for (let i = 0; i < b.length; i++) {
      const variable = b.variables[i];
      if (variable >= FIRST_AUX) setBit(this.#bDensity, variable - FIRST_AUX);
      else setBit(this.#bInputDensity, variable);
    }
  }
}

/**
 * Runs every row of a circuit through the R1CS hash (spec §5.3). `hash` is a fresh BLAKE2s-256. This is
 * the slow, direct way; `shapeDigestOf` gets the same digest from a compiled template.
 */
export function summarizeShape<Shared>(
  circuit: SegmentedCircuit<Shared>,
  hash: IncrementalHash,
  checkpoints?: HashCheckpoints,
): ShapeSummary {
  const collector = new ShapeCollector(countCircuit(circuit), hash, checkpoints);
  synthesize(circuit, collector);
  return collector.finish();
}
