import type { ConstraintSystem } from '../r1cs/constraint-system.ts';
import type { Variable } from '../r1cs/variable.ts';
import { allocBit } from './bit.ts';
import { is } from './boolean.ts';
import type { MultiEq } from './multi-eq.ts';
import { constantWord, isConstantWord, type UInt32, WORD_BITS, wordOf } from './uint32.ts';

/** Bits of the largest sum of this many words: 33 for 2, 34 for 4, 35 for 5 … 8 (spec §6.6). */
const sumBits = (operands: number): number =>
  (BigInt(operands) * (2n ** BigInt(WORD_BITS) - 1n)).toString(2).length;

/**
 * Σ operands mod 2^32 for 2 to 10 words. Allocates every bit of the true sum, carries included; the
 * equation itself is handed to `multiEq`. Sums of constants emit nothing. Constant operands count toward
 * the number of carry bits.
 */
export function addMany(
  cs: ConstraintSystem,
  multiEq: MultiEq,
  operands: readonly UInt32[],
  name: string,
  index?: number,
): UInt32 {
  if (operands.length < 2 || operands.length > 10) {
    throw new RangeError(`addMany: expected 2 to 10 operands, got ${operands.length}`);
  }
  let known: number | undefined;
  const sum = (): number => {
    known ??= operands.reduce((total, word) => total + wordOf(cs, word), 0);
    return known;
  };
  if (operands.every(isConstantWord)) return constantWord(sum() % 2 ** WORD_BITS);

  cs.enter(name, index);
  const result: Variable[] = [];
  for (let i = 0; i < sumBits(operands.length); i++) {
    result.push(allocBit(cs, () => Math.floor(sum() / 2 ** i) % 2 === 1, 'sum bit ', i));
  }
  cs.leave();
  multiEq.enforceSum(operands, result);
  return result.slice(0, WORD_BITS).map(is);
}
