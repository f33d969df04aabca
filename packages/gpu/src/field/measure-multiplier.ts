import { groupsFor, openCommands } from '../device/commands.ts';
import type { GpuContext } from '../device/context.ts';
import type { Kernel } from '../device/kernel.ts';
import { spentSeconds } from '../device/spent-seconds.ts';
import { uploadWords } from '../device/upload-words.ts';
import { anyElements } from './any-elements.ts';
import { formFacts, type MultiplierForm } from './field-variants.ts';

const WORKGROUP = 64;
/** Threads that fill the device, and dependent products of each: 50 ms on two cores, some ms on a large GPU. */
const SIZE = {
  software: { threads: 2 ** 14, steps: 96 },
  hardware: { threads: 2 ** 18, steps: 512 },
};
const REPEATS = { software: 2, hardware: 4 };

/** The kernel that measureMultiplier times. */
export const rateKernel = (
  context: GpuContext,
  { field, variant }: MultiplierForm,
): Promise<Kernel> =>
  context.kernels.get({
    file: `field/multiplier-rate-${field}.wgsl`,
    bindings: 'wu',
    workgroupSize: WORKGROUP,
    substitute: { [`field/${field}.wgsl`]: `generated/${field}-${variant}.wgsl` },
  });

/**
 * Millions of dependent multiplications a second of one form, by default the Fp form the context is linked with; the
 * best of a few runs. On a software adapter the figure is of one core: multiplications over processor seconds, which
 * other work on the machine hardly disturbs; on hardware it is of the device, by timestamps where it has them. Resets
 * the context's timer.
 */
export async function measureMultiplier(
  context: GpuContext,
  form: MultiplierForm = { field: 'fp', variant: context.variants.fp },
): Promise<number> {
  const { software } = context.traits;
  const { threads, steps } = software ? SIZE.software : SIZE.hardware;
  const kernel = await rateKernel(context, form);
  const words = anyElements(threads, formFacts(form).words);
  const values = uploadWords(context, 'scratch', words, 'multiplier rate');
  const commands = openCommands(context);
  const run = async (): Promise<void> => {
    commands.dispatch(kernel, [values], groupsFor(threads, WORKGROUP), [steps, 0, 0, 0]);
    await commands.submit('multiplier rate');
  };
  // the first run compiles
  await run();
  let seconds = Number.POSITIVE_INFINITY;
  for (let i = 0; i < (software ? REPEATS.software : REPEATS.hardware); i++) {
    seconds = Math.min(seconds, await spentSeconds(context, run));
  }
  context.buffers.give(values);
  return (threads * steps) / seconds / 1e6;
}
