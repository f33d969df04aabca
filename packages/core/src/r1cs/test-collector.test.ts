import { describe, expect, it } from 'vitest';
import { FR_MODULUS } from '../field/fr.ts';
import { COEFFICIENT_ONE } from './coefficient-table.ts';
import { TestCollector } from './test-collector.ts';
import { ONE, type Variable } from './variable.ts';

/** A row that says x·x = y. */
function square(cs: TestCollector, x: Variable, y: Variable, name: string): void {
  const { a, b, c } = cs.row;
  a.add(x, COEFFICIENT_ONE);
  b.add(x, COEFFICIENT_ONE);
  c.add(y, COEFFICIENT_ONE);
  cs.enforce(a, b, c, name);
}

describe('the test collector', () => {
  it('names the first row that does not hold, and rereads after a change', () => {
    const cs = new TestCollector();
    cs.enter('outer');
    const x = cs.allocElement(() => 3n, 'x');
    const y = cs.allocElement(() => 9n, 'y');
    square(cs, x, y, 'first');
    cs.enter('inner ', 4);
    square(cs, x, y, 'second');
    cs.leave();
    cs.leave();
    expect(cs.firstUnsatisfied()).toBeUndefined();
    cs.assign(cs.variableAt('outer/y'), 10n);
    expect(cs.firstUnsatisfied()).toEqual({ row: 0, path: 'outer/first' });
    expect([cs.holds(0), cs.holds(1)]).toEqual([false, false]);
    cs.assign(x, FR_MODULUS - 3n);
    cs.assign(y, 9n);
    expect(cs.firstUnsatisfied()).toBeUndefined();
  });

  it('refuses a name that exists, a slash and a leave too many', () => {
    const cs = new TestCollector();
    cs.allocElement(() => 0n, 'x');
    expect(() => cs.allocElement(() => 0n, 'x')).toThrow('variable: x exists already');
    expect(() => cs.enter('a/b')).toThrow(RangeError);
    cs.enter('space');
    cs.allocElement(() => 0n, 'x');
    cs.leave();
    expect(() => cs.enter('space')).toThrow('namespace: space exists already');
    expect(() => cs.leave()).toThrow(RangeError);
    expect(() => cs.variableAt('nowhere')).toThrow(RangeError);
  });

  it('takes canonical values only', () => {
    const cs = new TestCollector();
    expect(() => cs.allocElement(() => FR_MODULUS, 'x')).toThrow(RangeError);
    expect(() => cs.allocInput(() => -1n, 'i')).toThrow(RangeError);
  });

  it('writes rows as the golden files do', () => {
    const cs = new TestCollector();
    const input = cs.allocInput(() => 1n, 'i');
    const x = cs.allocBit(() => true, 'x');
    const { a, b, c } = cs.row;
    a.addValue(x, FR_MODULUS - (2n ** 64n - 1n));
    a.addValue(ONE, 2n ** 64n - 1n);
    b.addValue(input, 2n ** 64n);
    cs.enforce(a, b, c, 'row');
    expect(cs.textOfRow(0)).toBe(
      `A={ONE:18446744073709551615, w0:-18446744073709551615} B={x1:0x${'1'.padStart(48, '0')}${'0'.repeat(16)}} C={}`,
    );
    expect(cs.variablesOfRow(0)).toEqual([ONE, x, input]);
  });
});
