import type { ConstraintSystem } from '../r1cs/constraint-system.ts';
import type { Variable } from '../r1cs/variable.ts';
import { allocBit } from './bit.ts';
import { is } from './boolean.ts';
import type { MultiEq } from './multi-eq.ts';
import { constantWord, isConstantWord, type UInt32, WORD_BITS, wordOf } from './uint32.ts';

const MAX_OPERANDS = 10;
/** Bits of the largest sum of k words, by k: 33 for 2, 34 for 3 and 4, 35 for 5 … 8, 36 for more (spec §6.6). */
const SUM_BITS = Array.from(
  { length: MAX_OPERANDS + 1 },
  (_, operands) => (operands * (2 ** WORD_BITS - 1)).toString(2).length,
);

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
  if (operands.length < 2 || operands.length > MAX_OPERANDS) {
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
  for (let i = 0; i < SUM_BITS[operands.length]; i++) {
    result.push(allocBit(cs, () => Math.floor(sum() / 2 ** i) % 2 === 1, 'sum bit ', i));
  }
  cs.leave();
  multiEq.enforceSum(operands, result);
  return result.slice(0, WORD_BITS).map(is);
}
