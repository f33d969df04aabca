import { COEFFICIENT_MINUS_ONE, COEFFICIENT_ONE } from '../r1cs/coefficient-table.ts';
import type { ConstraintSystem } from '../r1cs/constraint-system.ts';
import type { Variable } from '../r1cs/variable.ts';
import { addBool, and, type Bool, boolOf, not } from './boolean.ts';

/** condition ? x : y by the row (y − x)·condition = y − result (spec §6.12). */
export function pick(
  cs: ConstraintSystem,
  condition: Bool,
  x: Variable,
  y: Variable,
  name: string,
  index?: number,
): Variable {
  const result = cs.allocElement(() => cs.valueOf(boolOf(cs, condition) ? x : y), name, index);
  const { a, b, c } = cs.row;
  a.add(y, COEFFICIENT_ONE);
  a.add(x, COEFFICIENT_MINUS_ONE);
  addBool(cs, b, condition);
  c.add(y, COEFFICIENT_ONE);
  c.add(result, COEFFICIENT_MINUS_ONE);
  cs.enforce(a, b, c, name, index);
  return result;
}

/** The operand names of the tables below: conditions, then the element `a` and its siblings. */
type Condition = 'b0' | 'b1' | 'b2' | 'neither' | 'both';
type Operand = 'a' | 'b' | 'c' | 'd' | 'e' | 'f' | 'g' | 'h' | 't';
type Pick = readonly [Condition, Operand, Operand];

/** For each output the picks in order; all but the last are called t (spec §6.12). */
const PICKS: Readonly<Record<number, readonly (readonly Pick[])[]>> = {
  2: [[['b0', 'b', 'a']], [['b0', 'a', 'b']]],
  4: [
    [
      ['b0', 'b', 'a'],
      ['b1', 'b', 't'],
    ],
    [
      ['b0', 'a', 'b'],
      ['b1', 'c', 't'],
    ],
    [
      ['b0', 'd', 'a'],
      ['b1', 't', 'c'],
    ],
    [
      ['b0', 'a', 'd'],
      ['b1', 't', 'd'],
    ],
  ],
  8: [
    [
      ['neither', 'a', 'b'],
      ['b2', 'b', 't'],
    ],
    [
      ['b0', 'a', 'b'],
      ['b1', 'c', 't'],
      ['b2', 'c', 't'],
    ],
    [
      ['b0', 'd', 'a'],
      ['b1', 't', 'c'],
      ['b2', 'd', 't'],
    ],
    [
      ['both', 'a', 'd'],
      ['b2', 'e', 't'],
    ],
    [
      ['neither', 'a', 'f'],
      ['b2', 't', 'e'],
    ],
    [
      ['b0', 'a', 'f'],
      ['b1', 'g', 't'],
      ['b2', 't', 'f'],
    ],
    [
      ['b0', 'h', 'a'],
      ['b1', 't', 'g'],
      ['b2', 't', 'g'],
    ],
    [
      ['both', 'a', 'h'],
      ['b2', 't', 'h'],
    ],
  ],
};

/**
 * The siblings with `element` inserted at the position whose bits, least significant first, are
 * `indexBits`. Arity = siblings + 1 is 2, 4 or 8 (RangeError otherwise); the index has log2(arity) bits.
 */
export function insert(
  cs: ConstraintSystem,
  element: Variable,
  indexBits: readonly Bool[],
  siblings: readonly Variable[],
  name: string,
): Variable[] {
  const picks = PICKS[siblings.length + 1];
  if (picks === undefined || 2 ** indexBits.length !== siblings.length + 1) {
    throw new RangeError(
      `insert: expected arity 2, 4 or 8 with log2(arity) index bits, got ` +
        `${siblings.length} siblings and ${indexBits.length} bits`,
    );
  }
  cs.enter(name);
  const conditions = new Map<string, Bool>(indexBits.map((bit, i) => [`b${i}`, bit]));
  if (indexBits.length === 3) {
    const [b0, b1] = indexBits;
    conditions.set('neither', and(cs, not(b0), not(b1), 'neither'));
    conditions.set('both', and(cs, b0, b1, 'both'));
  }
  const operands = new Map<string, Variable>(
    [element, ...siblings].map((variable, i) => ['abcdefgh'[i], variable]),
  );
  const result = picks.map((steps, output) => {
    cs.enter('output ', output);
    steps.forEach(([condition, x, y], i) => {
      const at = [conditions.get(condition), operands.get(x), operands.get(y)] as number[];
      operands.set('t', pick(cs, at[0], at[1], at[2], 'pick ', i));
    });
    cs.leave();
    return operands.get('t') as Variable;
  });
  cs.leave();
  return result;
}
