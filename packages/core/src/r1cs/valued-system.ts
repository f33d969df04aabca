import { FR_MODULUS } from '../field/fr.ts';
import { rowScratch } from './blank-system.ts';
import { CoefficientTable } from './coefficient-table.ts';
import type { ConstraintSystem, RowScratch } from './constraint-system.ts';
import type { LinearCombination } from './linear-combination.ts';
import { auxVariable, FIRST_AUX, type Variable } from './variable.ts';

/** The common half of the collectors that keep an assignment of plain bigints: slow and readable. */
export abstract class ValuedSystem implements ConstraintSystem {
  readonly coefficients: CoefficientTable;
  readonly row: RowScratch;
  /** Values of the inputs, ONE first, and of the aux, canonical. */
  readonly inputs: bigint[] = [1n];
  readonly aux: bigint[] = [];
  constraints = 0;

  constructor(table: CoefficientTable = new CoefficientTable()) {
    this.coefficients = table;
    this.row = rowScratch(table);
  }

  allocInput(value: () => bigint, name: string, index?: number): Variable {
    const variable = this.inputs.length;
    this.onAlloc(variable, false, name, index);
    this.inputs.push(canonical(value()));
    return variable;
  }

  allocElement(value: () => bigint, name: string, index?: number): Variable {
    const variable = auxVariable(this.aux.length);
    this.onAlloc(variable, false, name, index);
    this.aux.push(canonical(value()));
    return variable;
  }

  allocBit(value: () => boolean, name: string, index?: number): Variable {
    const variable = auxVariable(this.aux.length);
    this.onAlloc(variable, true, name, index);
    this.aux.push(value() ? 1n : 0n);
    return variable;
  }

  enforce(
    a: LinearCombination,
    b: LinearCombination,
    c: LinearCombination,
    name: string,
    index?: number,
  ): void {
    a.normalize();
    b.normalize();
    c.normalize();
    this.onRow(a, b, c, name, index);
    this.constraints++;
    a.reset();
    b.reset();
    c.reset();
  }

  valueOf(variable: Variable): bigint {
    return variable < FIRST_AUX ? this.inputs[variable] : this.aux[variable - FIRST_AUX];
  }

  bitOf(variable: Variable): boolean {
    return this.valueOf(variable) === 1n;
  }

  /** Value of a combination under the assignment, canonical. */
  evaluate(lc: LinearCombination): bigint {
    let sum = 0n;
    for (let i = 0; i < lc.length; i++) {
      const value = this.valueOf(lc.variables[i]);
      if (value === 0n) continue;
      const coefficient = this.coefficients.valueOf(lc.coefficients[i]);
      sum += value === 1n ? coefficient : coefficient * value;
    }
    return sum % FR_MODULUS;
  }

  abstract enter(name: string, index?: number): void;
  abstract leave(): void;
  protected abstract onAlloc(
    variable: Variable,
    isBit: boolean,
    name: string,
    index: number | undefined,
  ): void;
  protected abstract onRow(
    a: LinearCombination,
    b: LinearCombination,
    c: LinearCombination,
    name: string,
    index: number | undefined,
  ): void;
}

function canonical(value: bigint): bigint {
  if (value < 0n || value >= FR_MODULUS) {
    throw new RangeError('constraint system: expected a canonical value in [0, r)');
  }
  return value;
}
