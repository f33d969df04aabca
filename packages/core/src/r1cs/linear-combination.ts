import { FR_MODULUS } from '../field/fr.ts';
import {
  COEFFICIENT_ID_LIMIT,
  type CoefficientId,
  type CoefficientTable,
} from './coefficient-table.ts';
import { ONE, type Variable } from './variable.ts';

/** Up to this length a combination is sorted in place; longer ones go through the native numeric sort. */
const INSERTION_SORT_LIMIT = 12;

let sortKeys = new Float64Array(1024);

/**
 * A linear combination under construction: parallel arrays of variables and coefficient ids, in any order
 * and with repetitions until `normalize` brings them into the form of spec §5.1 (ascending variables,
 * coefficients of a repeated variable added, zeros dropped). One object is reused for many rows.
 */
export class LinearCombination {
  /** Entries 0 … length − 1 are the terms. */
  variables: Int32Array = new Int32Array(16);
  coefficients: Int32Array = new Int32Array(16);
  length = 0;
  readonly #table: CoefficientTable;
  #ascending = true;
  #constant = 0n;

  constructor(table: CoefficientTable) {
    this.#table = table;
  }

  /** Adds one term. */
  add(variable: Variable, coefficient: CoefficientId): void {
    const at = this.length;
    if (at === this.variables.length) this.#grow();
    if (at > 0 && variable <= this.variables[at - 1]) this.#ascending = false;
    this.variables[at] = variable;
    this.coefficients[at] = coefficient;
    this.length = at + 1;
  }

  /** Adds a term whose coefficient is any canonical value; zero adds nothing. */
  addValue(variable: Variable, coefficient: bigint): void {
    if (coefficient !== 0n) this.add(variable, this.#table.idOf(coefficient));
  }

  /** Adds an integer ≥ 0 to the coefficient of ONE without interning the intermediate sums. */
  addConstant(value: bigint): void {
    this.#constant += value;
  }

  /** Makes the combination empty again. */
  reset(): void {
    this.length = 0;
    this.#ascending = true;
    this.#constant = 0n;
  }

  /** Sorts, merges and drops zeros; afterwards the term arrays are what the row stores. */
  normalize(): void {
    if (this.#constant !== 0n) {
      this.addValue(ONE, this.#constant % FR_MODULUS);
      this.#constant = 0n;
    }
    if (this.#ascending) return;
    if (this.length <= INSERTION_SORT_LIMIT) this.#insertionSort();
    else this.#nativeSort();
    this.#merge();
    this.#ascending = true;
  }

  #grow(): void {
    const variables = new Int32Array(2 * this.variables.length);
    const coefficients = new Int32Array(2 * this.variables.length);
    variables.set(this.variables);
    coefficients.set(this.coefficients);
    this.variables = variables;
    this.coefficients = coefficients;
  }

  #insertionSort(): void {
    const { variables, coefficients, length } = this;
    for (let i = 1; i < length; i++) {
      const variable = variables[i];
      const coefficient = coefficients[i];
      let j = i - 1;
      for (; j >= 0 && variables[j] > variable; j--) {
        variables[j + 1] = variables[j];
        coefficients[j + 1] = coefficients[j];
      }
      variables[j + 1] = variable;
      coefficients[j + 1] = coefficient;
    }
  }

  /** One double per term: variables are below 2^31 and ids below 2^22, so every key is exact. */
  #nativeSort(): void {
    const { variables, coefficients, length } = this;
    if (sortKeys.length < length) sortKeys = new Float64Array(2 * length);
    for (let i = 0; i < length; i++) {
      sortKeys[i] = variables[i] * COEFFICIENT_ID_LIMIT + coefficients[i];
    }
    const keys = sortKeys.subarray(0, length).sort();
    for (let i = 0; i < length; i++) {
      const variable = Math.floor(keys[i] / COEFFICIENT_ID_LIMIT);
      variables[i] = variable;
      coefficients[i] = keys[i] - variable * COEFFICIENT_ID_LIMIT;
    }
  }

  #merge(): void {
    const { variables, coefficients, length } = this;
    let kept = 0;
    for (let i = 0; i < length; ) {
      const variable = variables[i];
      let coefficient = coefficients[i];
      let end = i + 1;
      while (end < length && variables[end] === variable) end++;
      if (end > i + 1) coefficient = this.#sum(i, end);
      if (coefficient >= 0) {
        variables[kept] = variable;
        coefficients[kept++] = coefficient;
      }
      i = end;
    }
    this.length = kept;
  }

  /** Id of the sum of the coefficients from…end − 1, or −1 where it is zero. */
  #sum(from: number, end: number): CoefficientId | -1 {
    let sum = 0n;
    for (let i = from; i < end; i++) sum += this.#table.valueOf(this.coefficients[i]);
    sum %= FR_MODULUS;
    return sum === 0n ? -1 : this.#table.idOf(sum);
  }
}
