import { FR_MODULUS, frMul } from '../../field/fr.ts';
import { COEFFICIENT_MINUS_ONE, COEFFICIENT_ONE } from '../coefficient-table.ts';
import type { ConstraintSystem, SegmentedCircuit } from '../constraint-system.ts';
import { ONE, type Variable } from '../variable.ts';

interface Shared {
  readonly element: Variable;
  readonly bits: readonly Variable[];
}

/** Powers of two that exercise every way of adding up a row: small, wide, the largest class and beyond. */
const POWERS = [0, 1, 31, 32, 33, 64, 200, 253, 254];

/**
 * A small circuit with every kind of term: global and local inputs, bits and elements; classes, −1 and
 * dictionary entries; a row longer than the in-place sort takes; an empty row. `seed` gives the values.
 */
export const sampleCircuit = (instances: number, seed = 1): SegmentedCircuit<Shared> => ({
  circuitId: `sample-${instances}`,
  instances,
  preamble(cs) {
    const element = cs.allocElement(() => FR_MODULUS - BigInt(seed), 'element');
    const bits = POWERS.map((power, i) =>
      cs.allocBit(() => ((seed >> (i % 3)) & 1) === 1, 'bit ', power),
    );
    makePublic(cs, element, 'public element');
    return { element, bits };
  },
  instance(cs, { element, bits }, index) {
    cs.enter('instance ', index);
    const own = cs.allocElement(() => BigInt(1000 * seed + index), 'own');
    const flag = cs.allocBit(() => (index + seed) % 2 === 0, 'flag');
    const product = cs.allocElement(() => frMul(cs.valueOf(element), cs.valueOf(own)), 'product');
    const sum = cs.allocElement(() => weighted(cs, bits), 'sum');
    multiply(cs, element, own, product);
    addUp(cs, bits, sum);
    boolean(cs, flag);
    mixed(cs, [element, own, flag], index);
    makePublic(cs, own, 'public own');
    const { a, b, c } = cs.row;
    cs.enforce(a, b, c, 'empty');
    cs.leave();
  },
});

function makePublic(cs: ConstraintSystem, variable: Variable, name: string): void {
  const input = cs.allocInput(() => cs.valueOf(variable), name);
  const { a, b, c } = cs.row;
  a.add(input, COEFFICIENT_ONE);
  b.add(ONE, COEFFICIENT_ONE);
  c.add(variable, COEFFICIENT_ONE);
  cs.enforce(a, b, c, name);
}

function multiply(cs: ConstraintSystem, x: Variable, y: Variable, product: Variable): void {
  const { a, b, c } = cs.row;
  a.add(x, COEFFICIENT_ONE);
  b.add(y, COEFFICIENT_ONE);
  c.add(product, COEFFICIENT_ONE);
  cs.enforce(a, b, c, 'multiply');
}

const coefficients = (bits: readonly Variable[]): [Variable, bigint][] => [
  ...bits.map((bit, i): [Variable, bigint] => [bit, 1n << BigInt(POWERS[i])]),
  ...bits.map((bit, i): [Variable, bigint] => [bit, 3n + BigInt(i)]),
];

const weighted = (cs: ConstraintSystem, bits: readonly Variable[]): bigint =>
  coefficients(bits).reduce((sum, [bit, weight]) => sum + (cs.bitOf(bit) ? weight : 0n), 0n) %
  FR_MODULUS;

/** (Σ weights of the bits)·(−1) = −sum. */
function addUp(cs: ConstraintSystem, bits: readonly Variable[], sum: Variable): void {
  const { a, b, c } = cs.row;
  for (const [bit, weight] of coefficients(bits).reverse()) a.addValue(bit, weight);
  b.add(ONE, COEFFICIENT_MINUS_ONE);
  c.add(sum, COEFFICIENT_MINUS_ONE);
  cs.enforce(a, b, c, 'add up');
}

function boolean(cs: ConstraintSystem, bit: Variable): void {
  const { a, b, c } = cs.row;
  a.add(ONE, COEFFICIENT_ONE);
  a.add(bit, COEFFICIENT_MINUS_ONE);
  b.add(bit, COEFFICIENT_ONE);
  cs.enforce(a, b, c, 'boolean');
}

/** (7·element − own + 2^40·flag − input 1)·0 = 0: terms of every kind in one combination. */
function mixed(cs: ConstraintSystem, [element, own, flag]: Variable[], index: number): void {
  const { a, b, c } = cs.row;
  a.addValue(element, 7n);
  a.add(own, COEFFICIENT_MINUS_ONE);
  a.add(flag, 40);
  a.add(1, COEFFICIENT_MINUS_ONE);
  cs.enforce(a, b, c, 'mixed ', index);
}
