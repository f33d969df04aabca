import { CuzkError } from '@cuzk/core/errors';
import type { FieldVariants, GpuContext } from '../device/context.ts';
import { formsOf, INTEGER_FORMS, type MultiplierForm } from './field-variants.ts';
import { countWrongDigits } from './self-test-digits.ts';
import { countWrongChains, countWrongExtremes } from './self-test-products.ts';
import { countWrongRoundings } from './self-test-rounding.ts';

export interface SelfTestProbe {
  readonly name: string;
  readonly passed: boolean;
  /** Operations or products whose result was compared. */
  readonly checked: number;
  /** What was found, for the log. */
  readonly detail: string;
}

export interface SelfTestReport {
  /** The forms that may be used on this device. */
  readonly variants: FieldVariants;
  readonly seconds: number;
  readonly probes: readonly SelfTestProbe[];
}

const WIDE_FORMS: FieldVariants = { fp: 'signed24', fr: 'signed24' };
const TRIPLES = 4096;
const EXTREMES = 2048;
/** 4096 chains of 256 products: 1,048,576 products per form. */
const CHAINS = { chains: 4096, products: 256 };

/**
 * Decides which multiplier this device may use. The 24-bit form is exact where every f32 addition, multiplication
 * and fma (fused or split) rounds to the nearest; that is probed with sums and products on and around the middle
 * between two values. Then the real multipliers run, and what they give is compared with bigints: 2^20 products in
 * chains, operands whose limbs are all at their bounds, and the digits in base z, which transforms compute in, on
 * operands at their bounds too. Anything wrong with the 24-bit form: the integer form is tested and chosen.
 * Errors: GPU_SELF_TEST_FAILED where the integer form is wrong too.
 */
export async function runSelfTest(context: GpuContext): Promise<SelfTestReport> {
  const start = performance.now();
  const wide = await testWideForms(context);
  const passed = wide.every((probe) => probe.passed);
  const integer = passed ? [] : await requireIntegerForms(context, wide);
  return {
    variants: passed ? WIDE_FORMS : INTEGER_FORMS,
    seconds: (performance.now() - start) / 1000,
    probes: [...wide, ...integer],
  };
}

/** Pipelines compile side by side, as all probes ask for theirs at once. */
async function testWideForms(context: GpuContext): Promise<SelfTestProbe[]> {
  const rounding = countWrongRoundings(context, TRIPLES).then(({ wrong, checked, detail }) => ({
    name: 'f32 rounding to nearest',
    passed: wrong === 0,
    checked,
    detail,
  }));
  const digits = countWrongDigits(context, EXTREMES).then((wrong) =>
    comparison('fr in digits of base z with limbs at their bounds', wrong, EXTREMES),
  );
  const products = formsOf(WIDE_FORMS).flatMap((form) => [
    testChains(context, form),
    countWrongExtremes(context, form, EXTREMES).then((wrong) =>
      comparison(`${form.field} ${form.variant} with limbs at their bounds`, wrong, EXTREMES),
    ),
  ]);
  return await Promise.all([rounding, ...products, digits]);
}

/**
 * Tests the forms that need no f32 arithmetic, for a device that is to use them. Throws GPU_SELF_TEST_FAILED where one
 * is wrong; `before` is what was found until then.
 */
export async function requireIntegerForms(
  context: GpuContext,
  before: readonly SelfTestProbe[] = [],
): Promise<SelfTestProbe[]> {
  const probes = await Promise.all(formsOf(INTEGER_FORMS).map((form) => testChains(context, form)));
  if (probes.every(({ passed }) => passed)) return probes;
  const failed = [...before, ...probes]
    .filter((probe) => !probe.passed)
    .map(({ name, detail }) => `${name}: ${detail}`);
  throw new CuzkError('GPU_SELF_TEST_FAILED', 'this device multiplies integers wrongly', {
    expected: 'products equal to those of the host',
    found: failed.join('; '),
    action: 'update the driver, or use another GPU',
  });
}

async function testChains(context: GpuContext, form: MultiplierForm): Promise<SelfTestProbe> {
  const wrong = await countWrongChains(context, form, CHAINS);
  const { chains, products } = CHAINS;
  return comparison(`${form.field} ${form.variant} in chains`, wrong, chains * products);
}

const comparison = (name: string, different: number, checked: number): SelfTestProbe => ({
  name,
  passed: different === 0,
  checked,
  detail: different === 0 ? 'all equal' : `${different} different`,
});
