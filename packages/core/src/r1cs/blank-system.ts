import { CoefficientTable } from './coefficient-table.ts';
import { type ConstraintSystem, type RowScratch, unknownValue } from './constraint-system.ts';
import { LinearCombination } from './linear-combination.ts';
import { FIRST_AUX, type Variable } from './variable.ts';

/** Fresh combinations over `table`. */
export const rowScratch = (table: CoefficientTable): RowScratch => ({
  a: new LinearCombination(table),
  b: new LinearCombination(table),
  c: new LinearCombination(table),
});

/** The common half of the collectors that see structure only: counters, no values, no names. */
export abstract class BlankSystem implements ConstraintSystem {
  readonly coefficients: CoefficientTable;
  readonly row: RowScratch;
  /** Inputs allocated so far, ONE included. */
  inputs = 1;
  aux = 0;
  constraints = 0;

  constructor(table: CoefficientTable = new CoefficientTable()) {
    this.coefficients = table;
    this.row = rowScratch(table);
  }

  allocInput(_value: () => bigint, _name: string, _index?: number): Variable {
    return this.inputs++;
  }

  allocElement(_value: () => bigint, _name: string, _index?: number): Variable {
    this.onAlloc(false);
    return FIRST_AUX + this.aux++;
  }

  allocBit(_value: () => boolean, _name: string, _index?: number): Variable {
    this.onAlloc(true);
    return FIRST_AUX + this.aux++;
  }

  enforce(a: LinearCombination, b: LinearCombination, c: LinearCombination): void {
    a.normalize();
    b.normalize();
    c.normalize();
    this.onRow(a, b, c);
    this.constraints++;
    a.reset();
    b.reset();
    c.reset();
  }

  valueOf(_variable: Variable): bigint {
    return unknownValue();
  }

  bitOf(_variable: Variable): boolean {
    return unknownValue();
  }

  enter(_name: string, _index?: number): void {}

  leave(): void {}

  /** Called before the aux variable number `this.aux` comes into being. */
  protected abstract onAlloc(isBit: boolean): void;
  /** Called with the normalised combinations of row number `this.constraints`. */
  protected abstract onRow(a: LinearCombination, b: LinearCombination, c: LinearCombination): void;
}
