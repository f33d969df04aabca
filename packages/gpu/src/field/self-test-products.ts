import { invertMod, mod } from '@cuzk/core/field/modular';
import type { GpuContext } from '../device/context.ts';
import { PROBE, runProbe } from './field-probe.ts';
import { formFacts, type MultiplierForm, readElement } from './field-variants.ts';
import {
  extremeOperands,
  limbOperands,
  type ProbeOperands,
  randomOperands,
} from './self-test-operands.ts';
import { SEARCHED_LIMBS } from './self-test-searched.ts';

const SEEDS = { fp: 0x3c6ef372, fr: 0x1b873593 };
/**
 * Chains with the same factor, since what a chain gives takes the host two products once it knows the factor's powers.
 */
const CHAINS_PER_FACTOR = 8;

/** Chains of dependent products, each with a subtraction after it, whose end differs from that of bigints. */
export async function countWrongChains(
  context: GpuContext,
  form: MultiplierForm,
  { chains, products }: { readonly chains: number; readonly products: number },
): Promise<number> {
  const { field, variant } = form;
  const facts = formFacts(form);
  const random = randomOperands(facts, chains, SEEDS[field]);
  const y = random.y.map((_, i) => random.y[i - (i % CHAINS_PER_FACTOR)]);
  const operands = { ...random, y };
  const options = { steps: products };
  const running = runProbe(context, field, variant, facts, PROBE.chain, operands, options);
  // while the device multiplies
  const expected = chainEnds(facts.modulus, operands, products);
  const words = await running;
  return expected.filter((end, i) => readElement(facts, words, i * facts.words) !== end).length;
}

/**
 * What is left of x − z after `products` times v ← v·y − z: (x − z)·y^n − z·(1 + y + … + y^(n−1)). A power of two of
 * products, so that the sum is (1 + y)(1 + y²)(1 + y⁴)…
 */
export function chainEnds(p: bigint, { x, y, z }: ProbeOperands, products: number): bigint[] {
  let factor: bigint | undefined;
  let [power, sum] = [0n, 0n];
  return x.map((first, i) => {
    if (y[i] !== factor) {
      factor = y[i];
      [power, sum] = [factor, 1n];
      for (let n = 1; n < products; n *= 2) {
        sum = (sum * (1n + power)) % p;
        power = (power * power) % p;
      }
    }
    return mod((first - z[i]) * power - z[i] * sum, p);
  });
}

/** Products of operands with extreme limbs that differ from those of bigints. */
export async function countWrongExtremes(
  context: GpuContext,
  form: MultiplierForm,
  count: number,
): Promise<number> {
  const { field, variant } = form;
  const facts = formFacts(form);
  const loose = facts.looseA >= 1.5;
  const searched = limbOperands(facts, SEARCHED_LIMBS[field], loose);
  const extreme = extremeOperands(facts, count - SEARCHED_LIMBS[field].length);
  const x = [...searched.x, ...extreme.x];
  const y = [...searched.y, ...extreme.y];
  const z = [...searched.z, ...extreme.z];
  const operands = { x, y, z };
  const options = { loosest: true };
  const words = await runProbe(context, field, variant, facts, PROBE.chain, operands, options);
  const rInverse = invertMod(facts.montgomeryR, facts.modulus);
  let wrong = 0;
  for (let i = 0; i < count; i++) {
    const b = z[i] - facts.bias;
    const a = x[i] - y[i] + (loose ? b : 0n);
    if (readElement(facts, words, i * facts.words) !== mod(a * b * rInverse, facts.modulus))
      wrong += 1;
  }
  return wrong;
}
