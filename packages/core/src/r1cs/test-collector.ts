import { FR_MODULUS } from '../field/fr.ts';
import type { LinearCombination } from './linear-combination.ts';
import { ValuedSystem } from './valued-system.ts';
import { FIRST_AUX, type Variable } from './variable.ts';

export interface UnsatisfiedRow {
  readonly row: number;
  /** Namespaces and name of the row, joined by `/`. */
  readonly path: string;
}

interface StoredCombination {
  readonly variables: Int32Array;
  readonly coefficients: Int32Array;
}

interface StoredRow {
  readonly path: string;
  readonly a: StoredCombination;
  readonly b: StoredCombination;
  readonly c: StoredCombination;
}

interface OpenNamespace {
  readonly path: string;
  readonly names: Set<string>;
}

const segment = (name: string, index: number | undefined): string => {
  if (name.includes('/')) throw new RangeError(`name: expected no "/", got ${name}`);
  return index === undefined ? name : `${name}${index}`;
};

const stored = (lc: LinearCombination): StoredCombination => ({
  variables: lc.variables.slice(0, lc.length),
  coefficients: lc.coefficients.slice(0, lc.length),
});

/**
 * Keeps names, values and rows, so that a test can change a value and ask which row notices. Names must be
 * unique among the variables, the rows and the namespaces of their namespace (RangeError otherwise).
 * Memory grows with the circuit: for gadgets and small circuits.
 */
export class TestCollector extends ValuedSystem {
  readonly #rows: StoredRow[] = [];
  readonly #variables = new Map<string, Variable>();
  readonly #open: OpenNamespace[] = [{ path: '', names: new Set() }];

  override enter(name: string, index?: number): void {
    const path = this.#claim('namespace', name, index);
    this.#open.push({ path: `${path}/`, names: new Set() });
  }

  override leave(): void {
    if (this.#open.length === 1) throw new RangeError('namespace: leave without enter');
    this.#open.pop();
  }

  /** Variable allocated under this path. Throws RangeError where there is none. */
  variableAt(path: string): Variable {
    const variable = this.#variables.get(path);
    if (variable === undefined) throw new RangeError(`variable: nothing allocated at ${path}`);
    return variable;
  }

  /** Replaces the value of one variable; nothing that was computed from it changes. */
  assign(variable: Variable, value: bigint): void {
    if (variable < FIRST_AUX) this.inputs[variable] = value;
    else this.aux[variable - FIRST_AUX] = value;
  }

  /** The first row that does not hold under the present values, or undefined. */
  firstUnsatisfied(): UnsatisfiedRow | undefined {
    const row = this.#rows.findIndex((_, i) => !this.holds(i));
    return row < 0 ? undefined : { row, path: this.#rows[row].path };
  }

  /** Whether one row holds under the present values. */
  holds(row: number): boolean {
    const { a, b, c } = this.#rows[row];
    return (this.#value(a) * this.#value(b) - this.#value(c)) % FR_MODULUS === 0n;
  }

  /** Variables that occur in a row; one may occur several times. */
  variablesOfRow(row: number): Variable[] {
    const { a, b, c } = this.#rows[row];
    return [a, b, c].flatMap(({ variables }) => [...variables]);
  }

  /** Row in the notation of the golden files: `A={ONE:1, w3:-1} B={w3:1} C={}`. */
  textOfRow(row: number): string {
    const { a, b, c } = this.#rows[row];
    return `A=${this.#text(a)} B=${this.#text(b)} C=${this.#text(c)}`;
  }

  protected override onAlloc(
    variable: Variable,
    _isBit: boolean,
    name: string,
    index: number | undefined,
  ): void {
    this.#variables.set(this.#claim('variable', name, index), variable);
  }

  protected override onRow(
    a: LinearCombination,
    b: LinearCombination,
    c: LinearCombination,
    name: string,
    index: number | undefined,
  ): void {
    const path = this.#claim('row', name, index);
    this.#rows.push({ path, a: stored(a), b: stored(b), c: stored(c) });
  }

  #claim(kind: string, name: string, index: number | undefined): string {
    const { path, names } = this.#open[this.#open.length - 1];
    const own = segment(name, index);
    if (names.has(`${kind}/${own}`)) throw new RangeError(`${kind}: ${path}${own} exists already`);
    names.add(`${kind}/${own}`);
    return `${path}${own}`;
  }

  #value({ variables, coefficients }: StoredCombination): bigint {
    let sum = 0n;
    for (let i = 0; i < variables.length; i++) {
      sum += this.valueOf(variables[i]) * this.coefficients.valueOf(coefficients[i]);
    }
    return sum;
  }

  #text({ variables, coefficients }: StoredCombination): string {
    const terms = Array.from(variables, (variable, i) => {
      const name =
        variable === 0 ? 'ONE' : variable < FIRST_AUX ? `x${variable}` : `w${variable - FIRST_AUX}`;
      return `${name}:${coefficientText(this.coefficients.valueOf(coefficients[i]))}`;
    });
    return `{${terms.join(', ')}}`;
  }
}

/** Decimal where the value or its negative is below 2^64, otherwise 0x and 64 hex digits. */
function coefficientText(value: bigint): string {
  if (value < 1n << 64n) return value.toString();
  if (FR_MODULUS - value < 1n << 64n) return (value - FR_MODULUS).toString();
  return `0x${value.toString(16).padStart(64, '0')}`;
}
