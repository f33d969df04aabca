import { FR_MODULUS } from '@cuzk/core/field/fr';
import { expect, it } from 'vitest';
import {
  type Circuit,
  compileCircuit,
  makeWitness,
  one,
  publicInputs,
  type Terms,
} from './circuit.ts';

it.each([
  ['undefined', [[1n, undefined as unknown as number]]],
  ['a public input too many', [one + 2]],
  ['a secret too many', [2 ** 24 + 1]],
  ['half a variable', [0.5]],
  ['a negative one', [-1]],
] satisfies [string, Terms][])('a row with %s is refused', (_, terms) => {
  const rows = ({ input, element, row }: Circuit) => {
    input(() => 1n);
    element(() => 1n);
    row([one], [one], terms);
  };
  expect(() => compileCircuit('wrong', rows)).toThrow('expected a variable of this circuit');
});

it('values and coefficients are taken modulo r', () => {
  const rows = ({ input, element, row }: Circuit) => {
    const [y, x] = [input(() => 3n * FR_MODULUS - 4n), element(() => -2n)];
    row([[FR_MODULUS + 1n, x]], [[-2n, one]], [[-1n, y]]);
  };
  const witness = makeWitness(compileCircuit('modulo', rows), rows);
  expect(publicInputs(witness)).toEqual([FR_MODULUS - 4n]);
});
