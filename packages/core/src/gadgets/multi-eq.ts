import { COEFFICIENT_ONE, type CoefficientId } from '../r1cs/coefficient-table.ts';
import type { ConstraintSystem } from '../r1cs/constraint-system.ts';
import { LinearCombination } from '../r1cs/linear-combination.ts';
import { ONE, type Variable } from '../r1cs/variable.ts';
import { type Bool, FALSE, TRUE } from './boolean.ts';
import { type UInt32, WORD_BITS } from './uint32.ts';

/** Bits that one row holds: an element of Fr keeps 254 bits apart without wrapping (spec §6.5). */
const CAPACITY_BITS = 254;

/**
 * Gathers equalities between small sums and emits one row for as many as fit side by side in a field
 * element. When the rows appear is part of the circuit: a row is emitted by the equality that no longer
 * fits, and the last one by `flush`, which every user calls once at its end.
 */
export class MultiEq {
  readonly #cs: ConstraintSystem;
  readonly #left: LinearCombination;
  readonly #right: LinearCombination;
  #usedBits = 0;
  #rows = 0;

  constructor(cs: ConstraintSystem) {
    this.#cs = cs;
    this.#left = new LinearCombination(cs.coefficients);
    this.#right = new LinearCombination(cs.coefficients);
  }

  /** Σ operands = Σ 2^i·result_i, where both sides are below 2^result.length. */
  enforceSum(operands: readonly UInt32[], result: readonly Variable[]): void {
    if (this.#usedBits + result.length >= CAPACITY_BITS) this.flush();
    const shift = this.#usedBits;
    let constant = 0;
    for (const operand of operands) constant += this.#addWord(operand, shift);
    // Constants stay below 10·2^32, so the plain number is exact.
    if (constant > 0) this.#left.addConstant(BigInt(constant) << BigInt(shift));
    for (let i = 0; i < result.length; i++) this.#right.add(result[i], shift + i);
    this.#usedBits += result.length;
  }

  /** Emits the row of what has been gathered, if anything has. */
  flush(): void {
    if (this.#usedBits === 0) return;
    const { b } = this.#cs.row;
    b.add(ONE, COEFFICIENT_ONE);
    this.#cs.enforce(this.#left, b, this.#right, 'multieq ', this.#rows++);
    this.#usedBits = 0;
  }

  /** Adds 2^shift times the variable part of a word; returns the word's constant part, not shifted. */
  #addWord(word: UInt32, shift: number): number {
    let constant = 0;
    for (let i = 0; i < WORD_BITS; i++) {
      const bit: Bool = word[i];
      if (bit === FALSE) continue;
      if (bit === TRUE || (bit & 1) === 1) constant += 2 ** i;
      if (bit > FALSE) this.#left.add(bit >>> 1, this.#coefficient(shift + i, bit));
    }
    return constant;
  }

  #coefficient(power: number, bit: Bool): CoefficientId {
    return (bit & 1) === 1 ? this.#cs.coefficients.negate(power) : power;
  }
}
