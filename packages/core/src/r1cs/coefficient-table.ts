import { FR_MODULUS, frNeg } from '../field/fr.ts';
import { CLASS_DICTIONARY, CLASS_MINUS_ONE } from './shape.ts';

/**
 * A coefficient as a small integer: k ≤ 253 means 2^k, CLASS_MINUS_ONE means −1, and every id above
 * CLASS_DICTIONARY names an interned value. Ids below CLASS_DICTIONARY are the classes of shape.ts.
 */
export type CoefficientId = number;

export const COEFFICIENT_ONE: CoefficientId = 0;
export const COEFFICIENT_TWO: CoefficientId = 1;
export const COEFFICIENT_MINUS_ONE: CoefficientId = CLASS_MINUS_ONE;
/** Largest k for which 2^k has an id of its own. */
export const MAX_POWER = CLASS_MINUS_ONE - 1;
export const FIRST_INTERNED: CoefficientId = CLASS_DICTIONARY + 1;
/** Ids stay below this bound, so that a variable and an id fit in one double. */
export const COEFFICIENT_ID_LIMIT = 2 ** 22;

/** Interns coefficients, so that combinations are integer arrays and equal coefficients are equal ids. */
export class CoefficientTable {
  readonly #values: bigint[] = [];
  readonly #ids = new Map<bigint, CoefficientId>();
  readonly #negated: CoefficientId[] = [];

  constructor() {
    for (let k = 0; k <= MAX_POWER; k++) this.#define(k, 1n << BigInt(k));
    this.#define(COEFFICIENT_MINUS_ONE, FR_MODULUS - 1n);
    this.#values.push(0n); // The escape class is no coefficient; it only keeps ids and indices equal.
  }

  /** Number of ids in use; ids run from 0 to size − 1 with CLASS_DICTIONARY left out. */
  get size(): number {
    return this.#values.length;
  }

  /** Id of a canonical value in [1, r). Throws RangeError for zero, which is never stored. */
  idOf(value: bigint): CoefficientId {
    const known = this.#ids.get(value);
    if (known !== undefined) return known;
    if (value <= 0n || value >= FR_MODULUS) {
      throw new RangeError('coefficient: expected a canonical value in [1, r)');
    }
    const id = this.#values.length;
    if (id >= COEFFICIENT_ID_LIMIT) throw new RangeError('coefficient: too many distinct values');
    this.#define(id, value);
    return id;
  }

  /** The canonical value of an id. */
  valueOf(id: CoefficientId): bigint {
    return this.#values[id];
  }

  negate(id: CoefficientId): CoefficientId {
    let negated = this.#negated[id];
    if (negated === undefined) {
      negated = this.idOf(frNeg(this.#values[id]));
      this.#negated[id] = negated;
    }
    return negated;
  }

  #define(id: CoefficientId, value: bigint): void {
    this.#values[id] = value;
    this.#ids.set(value, id);
  }
}
