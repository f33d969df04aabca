import { compileRound, type MeasuredRound, measureRound } from '../curve/measure-round.ts';
import type { FieldVariants, GpuContext, MsmRates } from '../device/context.ts';
import { createKernelCache } from '../device/kernel.ts';
import type { KernelReader } from '../device/wgsl.ts';
import { sameForms } from '../field/field-variants.ts';
import { measureMultiplier, rateKernel } from '../field/measure-multiplier.ts';
import {
  compileChains,
  type MeasuredMultiplier,
  tuneMultipliers,
} from '../field/tune-multipliers.ts';
import { typicalRates } from '../msm/msm-plan.ts';

/** What was chosen for one adapter, and all that was measured for it. */
export interface Tuning {
  readonly variants: FieldVariants;
  readonly msmRates: MsmRates;
  readonly measured: {
    readonly multipliers: readonly MeasuredMultiplier[];
    /** Millions of dependent multiplications a second with the chosen Fp form; of one core on a software adapter. */
    readonly fpMulPerSecond: number;
    /** Null on a kind of adapter whose MSMs are cut by typical figures. */
    readonly round: MeasuredRound | null;
    readonly seconds: number;
  };
}

/** Compiles what tuneDevice times, side by side. */
export async function compileTimed(context: GpuContext, allowed: FieldVariants): Promise<void> {
  // where other multipliers than these turn out to be faster, they are compiled again
  const usualFp = { field: 'fp', variant: allowed.fp } as const;
  await Promise.all([
    compileChains(context, allowed),
    compileRound(context),
    rateKernel(context, usualFp),
  ]);
}

/**
 * Measures multipliers and rounds of additions on this device, picks the fastest multipliers, and takes from the rounds
 * what an MSM's windows cost. While the driver compiles the pipelines of rounds, the multipliers are measured, which
 * also gives the card its clock.
 */
export async function tuneDevice(
  context: GpuContext,
  allowed: FieldVariants,
  read: KernelReader,
): Promise<Tuning> {
  const startedAt = performance.now();
  const compiled = compileTimed(context, allowed);
  const { variants, measured: multipliers } = await tuneMultipliers(context, allowed, compiled);
  await compiled;
  const chosen = withVariants(context, variants, read);
  const round = await measureRound(chosen);
  const fpMulPerSecond = await measureMultiplier(chosen);
  const msmRates = msmRatesOf(context, round);
  const seconds = (performance.now() - startedAt) / 1000;
  return { variants, msmRates, measured: { multipliers, fpMulPerSecond, round, seconds } };
}

/**
 * What an MSM's parts take: digits and buckets are taken to scale as additions do. Where no round was measured
 * everything scales, and with it nothing about windows changes.
 */
function msmRatesOf({ traits }: GpuContext, round: MeasuredRound | null): MsmRates {
  const typical = typicalRates(traits);
  if (round === null) return typical;
  const addition = 1 / round.additionsPerSecond;
  const scale = addition / typical.addition;
  return {
    addition,
    round: round.latencySeconds,
    entry: typical.entry * scale,
    bucket: typical.bucket * scale,
  };
}

/** The context as the tuning says. */
export const withTuning = (
  context: GpuContext,
  { variants, msmRates }: Pick<Tuning, 'variants' | 'msmRates'>,
  read: KernelReader,
): GpuContext => ({
  ...withVariants(context, variants, read),
  traits: { ...context.traits, msmRates },
});

/** Kernels linked with other multipliers are other kernels. */
export function withVariants(
  context: GpuContext,
  variants: FieldVariants,
  read: KernelReader,
): GpuContext {
  if (sameForms(variants, context.variants)) return context;
  return { ...context, variants, kernels: createKernelCache(context.device, variants, read) };
}
