import { describe, expect, it } from 'vitest';
import { FR_MODULUS, frAdd } from '../field/fr.ts';
import {
  COEFFICIENT_MINUS_ONE,
  COEFFICIENT_ONE,
  CoefficientTable,
  FIRST_INTERNED,
} from './coefficient-table.ts';
import { LinearCombination } from './linear-combination.ts';
import { auxVariable, ONE } from './variable.ts';

const termsOf = (lc: LinearCombination, table: CoefficientTable): [number, bigint][] =>
  Array.from({ length: lc.length }, (_, i) => [lc.variables[i], table.valueOf(lc.coefficients[i])]);

describe('coefficients', () => {
  it('are small integers: powers of two, −1, then whatever comes', () => {
    const table = new CoefficientTable();
    expect([0, 1, 253].map((k) => table.idOf(1n << BigInt(k)))).toEqual([0, 1, 253]);
    expect(table.idOf(FR_MODULUS - 1n)).toBe(COEFFICIENT_MINUS_ONE);
    expect([table.idOf(3n), table.idOf(1n << 254n), table.idOf(3n)]).toEqual([
      FIRST_INTERNED,
      FIRST_INTERNED + 1,
      FIRST_INTERNED,
    ]);
    expect(table.valueOf(FIRST_INTERNED + 1)).toBe(1n << 254n);
  });

  it('negate to interned ids and back', () => {
    const table = new CoefficientTable();
    for (const id of [0, 5, 253, table.idOf(12345n)]) {
      expect(table.valueOf(table.negate(id))).toBe(FR_MODULUS - table.valueOf(id));
      expect(table.negate(table.negate(id))).toBe(id);
    }
    expect(table.negate(COEFFICIENT_ONE)).toBe(COEFFICIENT_MINUS_ONE);
  });

  it('are never zero and always canonical', () => {
    const table = new CoefficientTable();
    for (const value of [0n, -1n, FR_MODULUS]) {
      expect(() => table.idOf(value)).toThrow(RangeError);
    }
  });
});

describe('a combination', () => {
  it('sorts inputs before aux and drops what cancels', () => {
    const table = new CoefficientTable();
    const lc = new LinearCombination(table);
    lc.add(auxVariable(7), COEFFICIENT_ONE);
    lc.add(auxVariable(3), 2);
    lc.add(2, 1);
    lc.add(auxVariable(7), COEFFICIENT_MINUS_ONE);
    lc.addValue(ONE, 9n);
    lc.addValue(5, 0n);
    lc.normalize();
    expect(termsOf(lc, table)).toEqual([
      [ONE, 9n],
      [2, 2n],
      [auxVariable(3), 4n],
    ]);
  });

  it('adds constants to the coefficient of ONE, modulo r', () => {
    const table = new CoefficientTable();
    const lc = new LinearCombination(table);
    lc.add(auxVariable(1), COEFFICIENT_ONE);
    lc.addConstant(FR_MODULUS);
    lc.addConstant(5n);
    lc.add(ONE, 1);
    lc.normalize();
    expect(termsOf(lc, table)).toEqual([
      [ONE, 7n],
      [auxVariable(1), 1n],
    ]);
    lc.reset();
    lc.addConstant(2n);
    lc.add(ONE, table.negate(1));
    lc.normalize();
    expect(lc.length).toBe(0);
  });

  it.each([3, 12, 13, 200, 3000])('of %i terms equals a map from variable to sum', (count) => {
    const table = new CoefficientTable();
    const lc = new LinearCombination(table);
    const expected = new Map<number, bigint>();
    let seed = count;
    const next = (bound: number): number => {
      seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
      return (seed >>> 8) % bound;
    };
    for (let i = 0; i < count; i++) {
      const variable = next(2) === 0 ? next(count) : auxVariable(next(count));
      const value = next(4) === 0 ? FR_MODULUS - 1n : BigInt(1 + next(1000));
      lc.addValue(variable, value);
      expected.set(variable, frAdd(expected.get(variable) ?? 0n, value));
    }
    lc.normalize();
    const sorted = [...expected].filter(([, sum]) => sum !== 0n).sort(([x], [y]) => x - y);
    expect(termsOf(lc, table)).toEqual(sorted);
  });
});
