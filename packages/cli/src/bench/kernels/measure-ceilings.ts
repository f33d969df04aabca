import { availableParallelism } from 'node:os';
import { openCommands } from '@cuzk/gpu/device/commands';
import type { GpuContext } from '@cuzk/gpu/device/context';
import { FP_VARIANTS, FR_VARIANTS, type MultiplierForm } from '@cuzk/gpu/field/field-variants';
import { measureMultiplier } from '@cuzk/gpu/field/measure-multiplier';
import { type Ceilings, fourDigits, type KernelResult } from './kernel-result.ts';
import { timeWork } from './time-work.ts';

const COPY_BYTES = { software: 2 ** 26, hardware: 2 ** 29 };
const COPIES = { software: 4, hardware: 32 };
const REPEATS = 5;

/** Every generated multiplier; the self-test has shown that those which the device uses are right. */
function multiplierForms(): MultiplierForm[] {
  const names = <T extends string>(variants: Readonly<Record<T, unknown>>): T[] =>
    Object.keys(variants) as T[];
  return [
    ...names(FP_VARIANTS).map((variant) => ({ field: 'fp', variant }) as const),
    ...names(FR_VARIANTS).map((variant) => ({ field: 'fr', variant }) as const),
  ];
}

/** Rates of all multipliers, of copies on the device, and of uploads; and from them what this adapter could do. */
export async function measureCeilings(
  context: GpuContext,
): Promise<{ ceilings: Ceilings; results: KernelResult[] }> {
  const { software } = context.traits;
  const cores = software ? availableParallelism() : 1;
  const results: KernelResult[] = [];
  const best = { fp: 0, fr: 0 };
  for (const form of multiplierForms()) {
    const rate = await measureMultiplier(context, form);
    if (form.variant === context.variants[form.field]) best[form.field] = rate * 1e6 * cores;
    const unit = software ? 'millionPerSecondAndCore' : 'millionPerSecond';
    results.push(rateOnly(`multiplier ${form.field} ${form.variant}`, { [unit]: rate }));
  }
  const copyBytesPerSecond = await measureCopy(context);
  results.push(rateOnly('copy on the device', { gigabytesPerSecond: copyBytesPerSecond / 1e9 }));
  results.push(
    rateOnly('upload from host memory', {
      gigabytesPerSecond: (await measureUpload(context)) / 1e9,
    }),
  );
  return { ceilings: { fpPerSecond: best.fp, frPerSecond: best.fr, copyBytesPerSecond }, results };
}

const rateOnly = (name: string, figures: Record<string, number>): KernelResult => ({
  name,
  deviceSeconds: null,
  wallSeconds: null,
  repeats: REPEATS,
  figures: Object.fromEntries(
    Object.entries(figures).map(([unit, value]) => [unit, fourDigits(value)]),
  ),
  checked: 'rate only',
  passed: true,
});

/** Bytes read and written a second. Copies have no timestamps; each submit takes long enough for the wall's clock. */
async function measureCopy(context: GpuContext): Promise<number> {
  const kind = context.traits.software ? 'software' : 'hardware';
  const bytes = Math.min(COPY_BYTES[kind], context.traits.maxBufferBytes);
  const take = (label: string): GPUBuffer => context.buffers.take('scratch', bytes, label);
  const [from, to] = [take('copy source'), take('copy target')];
  const commands = openCommands(context);
  const { wallSeconds } = await timeWork(
    context,
    async () => {
      for (let i = 0; i < COPIES[kind]; i++) commands.copy(from, 0, to, 0, bytes);
      await commands.submit('copy');
    },
    { repeats: REPEATS, perCall: COPIES[kind] },
  );
  context.buffers.drop(from);
  context.buffers.drop(to);
  return (2 * bytes) / wallSeconds;
}

async function measureUpload(context: GpuContext): Promise<number> {
  const bytes = 2 ** 26;
  const host = new Uint8Array(bytes).fill(1);
  const target = context.buffers.take('scratch', bytes, 'upload target');
  const { wallSeconds } = await timeWork(
    context,
    async () => {
      context.device.queue.writeBuffer(target, 0, host);
      await context.device.queue.onSubmittedWorkDone();
    },
    { repeats: REPEATS },
  );
  context.buffers.drop(target);
  return bytes / wallSeconds;
}
