import { CuzkError } from '@cuzk/core/errors';
import { invertMod, mod } from '@cuzk/core/field/modular';
import { groupsFor, openCommands, readBuffer } from '../device/commands.ts';
import type { FieldVariants, GpuContext } from '../device/context.ts';
import type { Kernel } from '../device/kernel.ts';
import { PROBE, probeKernel, readStored, runProbe } from './field-probe.ts';
import {
  type FieldVariant,
  FP_VARIANTS,
  FR_VARIANTS,
  INTEGER_FORMS,
  readElement,
} from './field-variants.ts';
import { countWrongDigits, DIGIT_OPS, digitsKernel } from './self-test-digits.ts';
import {
  extremeOperands,
  limbOperands,
  randomOperands,
  roundingTriples,
} from './self-test-operands.ts';
import { SEARCHED_LIMBS } from './self-test-searched.ts';

interface SelfTestProbe {
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

const WORKGROUP = 64;
const TRIPLES = 4096;
const EXTREMES = 2048;
/** 4096 chains of 256 products: 1,048,576 products per form. */
const CHAINS = 4096;
const CHAIN_STEPS = 256;
/** Chains of the integer form that are computed again in bigints. */
const CHECKED_CHAINS = 16;

interface TestedField {
  readonly prefix: 'fp' | 'fr';
  readonly wide: string;
  readonly wideFacts: FieldVariant;
  readonly integer: string;
  readonly integerFacts: FieldVariant;
}

const FIELDS: readonly TestedField[] = [
  {
    prefix: 'fp',
    wide: 'signed24',
    wideFacts: FP_VARIANTS.signed24,
    integer: 'signed13',
    integerFacts: FP_VARIANTS.signed13,
  },
  {
    prefix: 'fr',
    wide: 'signed24',
    wideFacts: FR_VARIANTS.signed24,
    integer: 'karatsuba13',
    integerFacts: FR_VARIANTS.karatsuba13,
  },
];

/**
 * Decides which multiplier this device may use. The 24-bit form is exact where every f32 addition, multiplication
 * and fma (fused or split) rounds to the nearest; that is probed with sums and products on and around the middle
 * between two values. Then the real multipliers run: on operands whose limbs are all at their bounds, each product
 * compared with bigints; and on 2^20 products in chains, whose ends are compared with those of the 13-bit integer form,
 * itself compared with bigints on a sample; the digits in base z, which transforms compute in, on operands at their bounds
 * too. Anything wrong with the 24-bit form: the integer form is chosen.
 * Errors: GPU_SELF_TEST_FAILED where the integer form is wrong too.
 */
export async function runSelfTest(context: GpuContext): Promise<SelfTestReport> {
  const start = performance.now();
  await compileAll(context);
  const results = await Promise.all([
    probeRounding(context),
    ...FIELDS.map((field) => probeField(context, field)),
    probeTransformField(context),
  ]);
  const probes = results.flat();
  const passed = (pattern: RegExp): boolean =>
    probes.every((probe) => probe.passed || !pattern.test(probe.name));
  if (!passed(/integer form/)) {
    const failed = probes
      .filter((probe) => !probe.passed)
      .map(({ name, detail }) => `${name}: ${detail}`);
    throw new CuzkError('GPU_SELF_TEST_FAILED', 'this device multiplies integers wrongly', {
      expected: 'products equal to those of the host',
      found: failed.join('; '),
      action: 'update the driver, or use another GPU',
    });
  }
  const wide = passed(/./);
  return {
    variants: wide ? { fp: 'signed24', fr: 'signed24' } : INTEGER_FORMS,
    seconds: (performance.now() - start) / 1000,
    probes,
  };
}

const extremeOperation = (field: TestedField): number =>
  field.wideFacts.looseA >= 1.5 ? PROBE.looseMul : PROBE.mul;

/** Pipelines compile side by side where they would one after the other. */
async function compileAll(context: GpuContext): Promise<void> {
  await Promise.all([
    roundingKernel(context),
    ...FIELDS.flatMap((field) => [
      probeKernel(context, field.prefix, field.wide, PROBE.chain),
      probeKernel(context, field.prefix, field.integer, PROBE.chain),
      probeKernel(context, field.prefix, field.wide, extremeOperation(field)),
    ]),
    digitsKernel(context, DIGIT_OPS.mul),
  ]);
}

const roundingKernel = (context: GpuContext): Promise<Kernel> =>
  context.kernels.get({
    file: 'field/probe-rounding.wgsl',
    bindings: 'rwu',
    workgroupSize: WORKGROUP,
  });

async function probeRounding(context: GpuContext): Promise<SelfTestProbe> {
  const triples = roundingTriples(TRIPLES);
  const found = new Float32Array(await runRounding(context, triples));
  const integers = new Int32Array(triples.buffer);
  const wrong = { add: 0, mul: 0, fma: 0, convert: 0 };
  let split = 0;
  for (let i = 0; i < TRIPLES; i++) {
    const [x, y, z] = triples.subarray(4 * i, 4 * i + 3);
    const [sum, product, fused, converted] = found.subarray(4 * i, 4 * i + 4);
    if (sum !== Math.fround(x + y)) wrong.add += 1;
    if (product !== Math.fround(x * y)) wrong.mul += 1;
    if (converted !== integers[4 * i + 3]) wrong.convert += 1;
    // the sum is exact in a double where z is not zero, and the product where it is
    if (fused === Math.fround(x * y + z)) continue;
    if (fused === Math.fround(Math.fround(x * y) + z)) split += 1;
    else wrong.fma += 1;
  }
  const total = wrong.add + wrong.mul + wrong.fma + wrong.convert;
  return {
    name: 'f32 rounding to nearest',
    passed: total === 0,
    checked: 4 * TRIPLES,
    detail:
      total === 0
        ? `exact; fma is ${split === 0 ? 'fused' : 'split'}`
        : `wrong: ${wrong.add} sums, ${wrong.mul} products, ${wrong.fma} fma, ${wrong.convert} conversions`,
  };
}

async function runRounding(context: GpuContext, triples: Float32Array): Promise<ArrayBuffer> {
  const kernel = await roundingKernel(context);
  const take = (): GPUBuffer => context.buffers.take('scratch', triples.byteLength, 'rounding');
  const [input, output] = [take(), take()];
  try {
    context.device.queue.writeBuffer(input, 0, triples.buffer, 0, triples.byteLength);
    const commands = openCommands(context);
    const count = triples.length / 4;
    commands.dispatch(kernel, [input, output], groupsFor(count, WORKGROUP), [count, 0, 0, 0]);
    await commands.submit('self-test');
    return await readBuffer(context, output, 0, triples.byteLength);
  } finally {
    context.buffers.drop(input);
    context.buffers.drop(output);
  }
}

async function probeField(context: GpuContext, field: TestedField): Promise<SelfTestProbe[]> {
  const { prefix, wide, wideFacts, integer, integerFacts } = field;
  const operands = randomOperands(wideFacts, CHAINS, prefix === 'fp' ? 0x3c6ef372 : 0x1b873593);
  const run = (form: string, facts: FieldVariant): Promise<Uint32Array> =>
    runProbe(context, prefix, form, facts, PROBE.chain, operands, CHAIN_STEPS);
  const wideEnds = await run(wide, wideFacts);
  const integerEnds = await run(integer, integerFacts);
  const words = wideFacts.words;
  let different = 0;
  for (let i = 0; i < CHAINS; i++) {
    const [a, b] = [wideEnds, integerEnds].map((ends) => ends.subarray(i * words, (i + 1) * words));
    if (a.some((word, k) => word !== b[k])) different += 1;
  }
  let wrong = 0;
  for (let i = 0; i < CHECKED_CHAINS; i++) {
    const { x, y, z } = operands;
    let value = x[i] - z[i];
    for (let step = 0; step < CHAIN_STEPS; step++)
      value = mod(value * y[i] - z[i], wideFacts.modulus);
    if (readElement(integerFacts, integerEnds, i * words) !== value) wrong += 1;
  }
  const report = (name: string, bad: number, checked: number): SelfTestProbe =>
    comparison(`${prefix} ${name}`, bad, checked);
  return [
    report(`integer form ${integer} against bigints`, wrong, CHECKED_CHAINS * CHAIN_STEPS),
    report(`${wide} against ${integer}`, different, CHAINS * CHAIN_STEPS),
    report(
      `${wide} with limbs at their bounds`,
      await countWrongExtremes(context, field),
      EXTREMES,
    ),
  ];
}

async function probeTransformField(context: GpuContext): Promise<SelfTestProbe> {
  const wrong = await countWrongDigits(context, EXTREMES);
  return comparison('fr in digits of base z with limbs at their bounds', wrong, EXTREMES);
}

const comparison = (name: string, different: number, checked: number): SelfTestProbe => ({
  name,
  passed: different === 0,
  checked,
  detail: different === 0 ? 'all equal' : `${different} different`,
});

/** Products of operands with extreme limbs that differ from those of bigints. */
async function countWrongExtremes(context: GpuContext, field: TestedField): Promise<number> {
  const { prefix, wide, wideFacts } = field;
  const op = extremeOperation(field);
  const loose = op === PROBE.looseMul;
  const searched = limbOperands(wideFacts, SEARCHED_LIMBS[prefix], loose);
  const extreme = extremeOperands(wideFacts, EXTREMES - SEARCHED_LIMBS[prefix].length);
  const x = [...searched.x, ...extreme.x];
  const y = [...searched.y, ...extreme.y];
  const z = [...searched.z, ...extreme.z];
  const words = await runProbe(context, prefix, wide, wideFacts, op, { x, y, z });
  const rInverse = invertMod(wideFacts.montgomeryR, wideFacts.modulus);
  let wrong = 0;
  for (let i = 0; i < EXTREMES; i++) {
    const b = z[i] - wideFacts.bias;
    const a = x[i] - y[i] + (loose ? b : 0n);
    const difference = readStored(wideFacts, words, i) - a * b * rInverse;
    if (mod(difference, wideFacts.modulus) !== 0n) wrong += 1;
  }
  return wrong;
}
