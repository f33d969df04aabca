import { groupsFor, openCommands } from '../device/commands.ts';
import type { DeviceTraits, FieldVariants, GpuContext } from '../device/context.ts';
import type { Kernel } from '../device/kernel.ts';
import { isLlvmpipe } from '../device/llvmpipe.ts';
import { spentSeconds } from '../device/spent-seconds.ts';
import { uploadWords } from '../device/upload-words.ts';
import { anyElements } from './any-elements.ts';
import { PROBE, probeKernel } from './field-probe.ts';
import { formFacts, formsOf, INTEGER_FORMS, type MultiplierForm } from './field-variants.ts';

export interface MeasuredMultiplier {
  readonly field: 'fp' | 'fr';
  readonly variant: string;
  /** Dependent products, each with a subtraction after it; on a software adapter of one core. */
  readonly millionPerSecond: number;
}

/**
 * The form that the self-test prefers stays where another one is faster by less: that is within the spread, which on
 * the cores of a shared machine is large (24-bit products of Fr are 1.1 times as fast as 13-bit ones on llvmpipe, and
 * have been measured as the slower ones), and kernels of other forms than usual are not compiled ahead
 * (compile-ahead.ts).
 */
export const WORTHWHILE = { software: 1.5, hardware: 1.1 };
/** Turns at least; the first one compiles on a software adapter, and finds a card that was idle at a low clock. */
const LEAST_TURNS = 3;
/** Work that gives a card its clock. */
const WARM_MS = 200;
/** Threads that fill the device, and products of each. */
const SIZE = {
  software: { threads: 2 ** 13, steps: 96 },
  hardware: { threads: 2 ** 18, steps: 256 },
};

/**
 * Rates of the forms that the self-test allows and of the integer ones, and the fastest of each field. They are
 * measured with the chains of the self-test, so that no pipeline is compiled for the allowed ones, in turns, so that
 * what else the machine does meets all of them, and for as long as `until` is not settled. An integer form that is
 * chosen here is yet to be tested.
 */
export async function tuneMultipliers(
  context: GpuContext,
  allowed: FieldVariants,
  until: Promise<unknown>,
): Promise<{ variants: FieldVariants; measured: MeasuredMultiplier[] }> {
  const kind = context.traits.software ? 'software' : 'hardware';
  const chains = await Promise.all(
    candidates(context.traits, allowed).map((form) => openChain(context, form)),
  );
  const startMs = performance.now();
  let waiting = true;
  const settled = (): void => {
    waiting = false;
  };
  void until.then(settled, settled);
  const cold = (): boolean => !context.traits.software && performance.now() - startMs < WARM_MS;
  try {
    for (let turn = 0; turn < LEAST_TURNS || waiting || cold(); turn++) {
      for (const chain of chains) await chain.run();
    }
  } finally {
    for (const chain of chains) chain.close();
  }
  const measured = chains.map(({ form, rate }) => ({ ...form, millionPerSecond: rate() / 1e6 }));
  return { variants: fastestForms(measured, allowed, kind), measured };
}

/** Compiles what tuneMultipliers times, side by side. */
export async function compileChains(context: GpuContext, allowed: FieldVariants): Promise<void> {
  await Promise.all(candidates(context.traits, allowed).map((form) => chainKernel(context, form)));
}

const chainKernel = (context: GpuContext, { field, variant }: MultiplierForm): Promise<Kernel> =>
  probeKernel(context, field, variant, PROBE.chain);

/**
 * The preferred forms first. On llvmpipe integer forms were 0.58 (Fp) and 0.83 (Fr) times as fast wherever they were
 * measured (docs/performance.md): they are not compiled there, where each takes half a second or more.
 */
function candidates(traits: DeviceTraits, allowed: FieldVariants): MultiplierForm[] {
  const all = formsOf(allowed);
  if (!isLlvmpipe(traits)) all.push(...formsOf(INTEGER_FORMS));
  return all.filter(
    (form, i) =>
      all.findIndex(({ field, variant }) => field === form.field && variant === form.variant) === i,
  );
}

/** The allowed forms, or the integer ones where these are so much faster. */
export const fastestForms = (
  measured: readonly MeasuredMultiplier[],
  allowed: FieldVariants,
  kind: keyof typeof WORTHWHILE,
): FieldVariants => ({
  fp: fastest(measured, 'fp', allowed.fp, WORTHWHILE[kind]),
  fr: fastest(measured, 'fr', allowed.fr, WORTHWHILE[kind]),
});

function fastest<F extends 'fp' | 'fr'>(
  measured: readonly MeasuredMultiplier[],
  field: F,
  preferred: FieldVariants[F],
  worthwhile: number,
): FieldVariants[F] {
  const rateOf = (name: FieldVariants[F]): number =>
    measured.find((each) => each.field === field && each.variant === name)?.millionPerSecond ?? 0;
  const other = INTEGER_FORMS[field];
  return rateOf(other) > worthwhile * rateOf(preferred) ? other : preferred;
}

interface Chain {
  readonly form: MultiplierForm;
  run(): Promise<void>;
  /** Products a second of the best run so far. */
  rate(): number;
  close(): void;
}

async function openChain(context: GpuContext, form: MultiplierForm): Promise<Chain> {
  const { threads, steps } = SIZE[context.traits.software ? 'software' : 'hardware'];
  const kernel = await chainKernel(context, form);
  const { words } = formFacts(form);
  // the same values as x, y, z and constant: no value changes the time
  const values = uploadWords(context, 'scratch', anyElements(threads, words), 'tuning');
  const out = context.buffers.take('scratch', values.size, 'tuning');
  const commands = openCommands(context);
  let best = Number.POSITIVE_INFINITY;
  const once = async (): Promise<void> => {
    const bindings = [values, values, values, values, out];
    const groups = groupsFor(threads, kernel.workgroupSize);
    commands.dispatch(kernel, bindings, groups, [threads, steps - 1, 0, 0]);
    await commands.submit('tuning');
  };
  return {
    form,
    run: async () => {
      best = Math.min(best, await spentSeconds(context, once));
    },
    rate: () => (threads * steps) / best,
    close: () => {
      context.buffers.drop(values);
      context.buffers.drop(out);
    },
  };
}
