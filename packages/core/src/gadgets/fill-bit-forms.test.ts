import { describe, expect, it } from 'vitest';
import { WitnessCollector } from '../r1cs/witness-collector.ts';
import { allocBit } from './bit.ts';
import * as circuit from './boolean.ts';
import {
  ALLOCATES,
  ALLOCATES_PAIR,
  andForms,
  chForms,
  constantValue,
  constantWord,
  FALSE,
  type Folded,
  formOf,
  IS,
  majForms,
  NOT,
  rotateForms,
  shiftForms,
  TRUE,
  variableWord,
  xorForms,
} from './fill-bit-forms.ts';
import { choose, majority } from './sha256-choice.ts';

const FORMS = [FALSE, TRUE, IS, NOT];
const triples = FORMS.flatMap((a) => FORMS.flatMap((b) => FORMS.map((c) => [a, b, c])));

function bools(cs: WitnessCollector, forms: readonly number[]): circuit.Bool[] {
  return forms.map((form) => {
    if (form === FALSE) return circuit.FALSE;
    if (form === TRUE) return circuit.TRUE;
    const bit = circuit.is(allocBit(cs, () => false, 'operand'));
    return form === NOT ? circuit.not(bit) : bit;
  });
}

const formOfBool = (bool: circuit.Bool): number => {
  if (circuit.isConstant(bool)) return bool === circuit.TRUE ? TRUE : FALSE;
  return bool % 2 === 0 ? IS : NOT;
};

/** What the circuit makes of operands of these forms: the form of the result, and how many aux. */
function inCircuit(
  forms: readonly number[],
  operation: (cs: WitnessCollector, ...operands: circuit.Bool[]) => circuit.Bool,
): { form: number; allocated: number } {
  const cs = new WitnessCollector();
  const operands = bools(cs, forms);
  const before = cs.aux.length;
  const form = formOfBool(operation(cs, ...operands));
  return { form, allocated: cs.aux.length - before };
}

const folded = (outcome: Folded) => ({
  form: formOf(outcome),
  allocated: Number((outcome & ALLOCATES) > 0) + Number((outcome & ALLOCATES_PAIR) > 0),
});

describe('bit forms fold as the circuit does', () => {
  it.each(triples)('operands of forms %i, %i, %i', (a, b, c) => {
    const xor = inCircuit([a, b], (cs, x, y) => circuit.xor(cs, x, y, 'xor'));
    expect(folded(xorForms(a, b))).toEqual(xor);
    const and = inCircuit([a, b], (cs, x, y) => circuit.and(cs, x, y, 'and'));
    expect(folded(andForms(a, b))).toEqual(and);
    const ch = inCircuit([a, b, c], (cs, x, y, z) => choose(cs, x, y, z, 'ch'));
    expect(folded(chForms(a, b, c))).toEqual(ch);
    const maj = inCircuit([a, b, c], (cs, x, y, z) => majority(cs, x, y, z, 'maj'));
    expect(folded(majForms(a, b, c))).toEqual(maj);
  });
});

describe('word forms', () => {
  it('constants keep their value, variables have none', () => {
    expect(constantValue(constantWord(0x80000001))).toBe(0x80000001);
    expect(constantValue(variableWord(0xfffffffe))).toBeUndefined();
    expect(constantValue(variableWord(0xffffffff))).toBe(0);
  });
  it('rotation and shift move bits down, a shift leaves false above', () => {
    expect(constantValue(rotateForms(constantWord(3), 1))).toBe(0x80000001);
    expect(constantValue(shiftForms(constantWord(0xff), 4))).toBe(0xf);
    expect(shiftForms(variableWord(), 3).slice(29)).toEqual(Uint8Array.of(FALSE, FALSE, FALSE));
  });
});
