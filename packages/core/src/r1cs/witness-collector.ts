import { FR_MODULUS } from '../field/fr.ts';
import { bitmapOf, setBit } from './bitmap.ts';
import { type SegmentedCircuit, synthesize } from './constraint-system.ts';
import type { LinearCombination } from './linear-combination.ts';
import { ValuedSystem } from './valued-system.ts';
import { FIRST_AUX, type Variable } from './variable.ts';

/** Values of the three combinations of every row, input rows (spec §4.1) included. */
export interface RowValues {
  readonly a: readonly bigint[];
  readonly b: readonly bigint[];
  readonly c: readonly bigint[];
}

export interface ReferenceWitness {
  /** Values of the inputs, ONE first. */
  readonly inputs: readonly bigint[];
  readonly aux: readonly bigint[];
  /** Bitmap over aux of the variables allocated as bits. */
  readonly typedBits: Uint32Array;
  readonly rows: RowValues;
  /** The first row that does not hold, or −1. */
  readonly firstUnsatisfiedRow: number;
}

/** The slow, generic witness that every fast path is compared with. */
export class WitnessCollector extends ValuedSystem {
  readonly a: bigint[] = [];
  readonly b: bigint[] = [];
  readonly c: bigint[] = [];
  readonly #bits: number[] = [];
  #firstUnsatisfiedRow = -1;

  override enter(): void {}

  override leave(): void {}

  /** Appends the input rows and returns everything. */
  finish(): ReferenceWitness {
    for (const input of this.inputs) {
      this.a.push(input);
      this.b.push(0n);
      this.c.push(0n);
    }
    const typedBits = bitmapOf(this.aux.length);
    for (const bit of this.#bits) setBit(typedBits, bit);
    return {
      inputs: this.inputs,
      aux: this.aux,
      typedBits,
      rows: { a: this.a, b: this.b, c: this.c },
      firstUnsatisfiedRow: this.#firstUnsatisfiedRow,
    };
  }

  protected override onAlloc(variable: Variable, isBit: boolean): void {
    if (isBit) this.#bits.push(variable - FIRST_AUX);
  }

  protected override onRow(a: LinearCombination, b: LinearCombination, c: LinearCombination): void {
    const [left, right, product] = [this.evaluate(a), this.evaluate(b), this.evaluate(c)];
    this.a.push(left);
    this.b.push(right);
    this.c.push(product);
    if (this.#firstUnsatisfiedRow < 0 && (left * right - product) % FR_MODULUS !== 0n) {
      this.#firstUnsatisfiedRow = this.constraints;
    }
  }
}

/** Runs a circuit that has values and returns its assignment and row values. */
export function referenceWitness<Shared>(circuit: SegmentedCircuit<Shared>): ReferenceWitness {
  const collector = new WitnessCollector();
  synthesize(circuit, collector);
  return collector.finish();
}
