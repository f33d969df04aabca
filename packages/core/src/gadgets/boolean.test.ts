import { describe, expect, it } from 'vitest';
import { TestCollector } from '../r1cs/test-collector.ts';
import { allocBit, andBits, andNotBits, norBits, xorBits } from './bit.ts';
import { and, type Bool, boolOf, FALSE, is, isConstant, not, TRUE, xor } from './boolean.ts';
import { choose, majority } from './sha256-choice.ts';
import { unboundAux } from './testing/bound-variables.ts';

/** The six ways in which an operand can be given. */
const FORMS = ['false', 'true', '0', '1', 'not 0', 'not 1'] as const;
type Form = (typeof FORMS)[number];

function operand(cs: TestCollector, form: Form, name: string): Bool {
  if (form === 'false') return FALSE;
  if (form === 'true') return TRUE;
  const bit = is(allocBit(cs, () => form.endsWith('1'), name));
  return form.startsWith('not') ? not(bit) : bit;
}

const truthOf = (form: Form): boolean => form === 'true' || form === '1' || form === 'not 0';
const pairs = FORMS.flatMap((x) => FORMS.map((y) => [x, y] as const));
const triples = FORMS.flatMap((x) => pairs.map(([y, z]) => [x, y, z] as const));

/** Runs an operation, checks its value and that all rows hold; the rows after those of the operands. */
function check(
  forms: readonly Form[],
  operation: (cs: TestCollector, operands: readonly Bool[]) => Bool,
  expected: boolean,
): string[] {
  const cs = new TestCollector();
  const operands = forms.map((form, i) => operand(cs, form, `operand ${i}`));
  const [before, operandAux] = [cs.constraints, cs.aux.length];
  const result = operation(cs, operands);
  expect(boolOf(cs, result)).toBe(expected);
  expect(cs.firstUnsatisfied()).toBeUndefined();
  // An operand may be free (0 ∧ y is 0 for any y); a result never is.
  expect(unboundAux(cs).filter((k) => k >= operandAux)).toEqual([]);
  if (operands.every(isConstant)) expect(isConstant(result)).toBe(true);
  return Array.from({ length: cs.constraints - before }, (_, i) => cs.textOfRow(before + i));
}

describe('a bit', () => {
  it('is 0 or 1', () => {
    const cs = new TestCollector();
    const bit = allocBit(cs, () => true, 'bit');
    expect(cs.textOfRow(0)).toBe('A={ONE:1, w0:-1} B={w0:1} C={}');
    expect(cs.firstUnsatisfied()).toBeUndefined();
    cs.assign(bit, 2n);
    expect(cs.firstUnsatisfied()).toEqual({ row: 0, path: 'bit' });
  });

  it.each([
    ['xor', xorBits, 'A={w0:2} B={w1:1} C={w0:1, w1:1, w2:-1}'],
    ['and', andBits, 'A={w0:1} B={w1:1} C={w2:1}'],
    ['and not', andNotBits, 'A={w0:1} B={ONE:1, w1:-1} C={w2:1}'],
    ['nor', norBits, 'A={ONE:1, w0:-1} B={ONE:1, w1:-1} C={w2:1}'],
  ] as const)('%s has its row, operands on their sides', (_, operation, row) => {
    const cs = new TestCollector();
    const x = allocBit(cs, () => true, 'x');
    operation(
      cs,
      x,
      allocBit(cs, () => false, 'y'),
      'result',
    );
    expect(cs.textOfRow(2)).toBe(row);
  });
});

describe('Booleans', () => {
  it.each(pairs)('xor of %s and %s', (x, y) => {
    const rows = check([x, y], (cs, [a, b]) => xor(cs, a, b, 'xor'), truthOf(x) !== truthOf(y));
    const folds = [x, y].some((form) => form === 'true' || form === 'false');
    expect(rows.length).toBe(folds ? 0 : 1);
  });

  it.each(pairs)('and of %s and %s', (x, y) => {
    const rows = check([x, y], (cs, [a, b]) => and(cs, a, b, 'and'), truthOf(x) && truthOf(y));
    const folds = [x, y].some((form) => form === 'true' || form === 'false');
    expect(rows.length).toBe(folds ? 0 : 1);
  });

  it('a mixed xor has the plain operand on the A side', () => {
    const rows = check(['not 0', '1'], (cs, [a, b]) => xor(cs, a, b, 'xor'), false);
    expect(rows).toEqual(['A={w1:2} B={w0:1} C={w0:1, w1:1, w2:-1}']);
  });

  it('choice takes the second or the third operand, in all 216 forms', () => {
    for (const forms of triples) {
      const [x, y, z] = forms.map(truthOf);
      check(forms, (cs, [a, b, c]) => choose(cs, a, b, c, 'ch'), x ? y : z);
    }
  });

  it('majority agrees with at least two operands, in all 216 forms', () => {
    for (const forms of triples) {
      const expected = forms.filter(truthOf).length >= 2;
      check(forms, (cs, [a, b, c]) => majority(cs, a, b, c, 'maj'), expected);
    }
  });

  it('general choice and majority have the rows of SHA-256', () => {
    const variables = ['1', '0', 'not 0'] as const;
    expect(check(variables, (cs, [a, b, c]) => choose(cs, a, b, c, 'ch'), false)).toEqual([
      'A={ONE:-1, w1:1, w2:1} B={w0:1} C={ONE:-1, w2:1, w3:1}',
    ]);
    expect(check(variables, (cs, [a, b, c]) => majority(cs, a, b, c, 'maj'), true)).toEqual([
      'A={w1:1} B={ONE:1, w2:-1} C={w4:1}',
      'A={ONE:-1, w1:-1, w2:1, w4:2} B={w0:1} C={w3:-1, w4:1}',
    ]);
  });

  it('a true first operand of choice does not fold where the others are variables', () => {
    expect(check(['true', '1', '0'], (cs, [a, b, c]) => choose(cs, a, b, c, 'ch'), true)).toEqual([
      'A={w0:1, w1:-1} B={ONE:1} C={w1:-1, w2:1}',
    ]);
  });
});
