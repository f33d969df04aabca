import { BlankSystem } from '../../r1cs/blank-system.ts';
import type { LinearCombination } from '../../r1cs/linear-combination.ts';
import type { Variable } from '../../r1cs/variable.ts';

/** Row, aux and input counters before and after a namespace. */
export type Offsets = readonly [number, number, number, number, number, number];

/** Records where every path of at most `depth` segments begins and ends; single allocations and rows too. */
export class OffsetCollector extends BlankSystem {
  readonly offsets = new Map<string, Offsets>();
  readonly #depth: number;
  readonly #open: { readonly path: string; readonly begin: [number, number, number] }[] = [];

  constructor(depth: number) {
    super();
    this.#depth = depth;
  }

  override enter(name: string, index?: number): void {
    this.#open.push({ path: this.#pathOf(name, index), begin: this.#counters() });
  }

  override leave(): void {
    const closed = this.#open.pop();
    if (closed !== undefined && this.#open.length < this.#depth) {
      this.offsets.set(closed.path, [...closed.begin, ...this.#counters()]);
    }
  }

  override allocInput(value: () => bigint, name: string, index?: number): Variable {
    return this.#recorded(name, index, () => super.allocInput(value, name, index));
  }

  override allocElement(value: () => bigint, name: string, index?: number): Variable {
    return this.#recorded(name, index, () => super.allocElement(value, name, index));
  }

  override enforce(
    a: LinearCombination,
    b: LinearCombination,
    c: LinearCombination,
    name = '',
    index?: number,
  ): void {
    this.#recorded(name, index, () => super.enforce(a, b, c));
  }

  protected override onAlloc(): void {}

  protected override onRow(): void {}

  /** Runs one allocation or row and lets it extend what is recorded under its path. */
  #recorded<T>(name: string, index: number | undefined, emit: () => T): T {
    if (this.#open.length >= this.#depth) return emit();
    const path = this.#pathOf(name, index);
    const begin = this.offsets.get(path)?.slice(0, 3) ?? this.#counters();
    const result = emit();
    this.offsets.set(path, [...begin, ...this.#counters()] as unknown as Offsets);
    return result;
  }

  #counters(): [number, number, number] {
    return [this.constraints, this.aux, this.inputs];
  }

  #pathOf(name: string, index: number | undefined): string {
    const parent = this.#open.at(-1);
    return `${parent === undefined ? '' : `${parent.path}/`}${name}${index ?? ''}`;
  }
}
