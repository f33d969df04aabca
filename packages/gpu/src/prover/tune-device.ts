import {
  fastestRound,
  type MeasuredRound,
  measureRoundLatency,
  measureRounds,
} from '../curve/tune-rounds.ts';
import type { FieldVariants, GpuContext, MsmRates, RoundTuning } from '../device/context.ts';
import { createKernelCache } from '../device/kernel.ts';
import type { KernelReader } from '../device/wgsl.ts';
import { type MeasuredMultiplier, tuneMultipliers } from '../field/tune-multipliers.ts';
import { typicalRates } from '../msm/msm-plan.ts';

/** What was chosen for one adapter, and all that was measured for it. */
export interface Tuning {
  readonly variants: FieldVariants;
  readonly round: RoundTuning;
  readonly msmRates: MsmRates;
  readonly measured: {
    readonly multipliers: readonly MeasuredMultiplier[];
    readonly rounds: readonly MeasuredRound[];
    readonly seconds: number;
  };
}

/**
 * Measures multipliers and layouts of a round of additions on this device and picks the fastest ones, and takes from
 * them what an MSM's windows cost. Some seconds where pipelines have to be compiled first, else less than two.
 */
export async function tuneDevice(
  context: GpuContext,
  allowed: FieldVariants,
  read: KernelReader,
): Promise<Tuning> {
  const startedAt = performance.now();
  const { variants, measured: multipliers } = await tuneMultipliers(context, allowed);
  const chosen = withVariants(context, variants, read);
  const rounds = await measureRounds(chosen);
  const { workgroupSize, pairsPerThread, additionsPerSecond } = fastestRound(rounds);
  const round = { workgroupSize, pairsPerThread };
  return {
    variants,
    round,
    msmRates: await ratesOf({ ...chosen, roundTuning: round }, 1 / additionsPerSecond),
    measured: { multipliers, rounds, seconds: (performance.now() - startedAt) / 1000 },
  };
}

/**
 * Digits and buckets are taken to scale as additions do. What a round takes at least is measured on hardware; on a
 * software adapter it scales too, and with it nothing about windows changes.
 */
async function ratesOf(context: GpuContext, addition: number): Promise<MsmRates> {
  const typical = typicalRates(context.traits);
  if (context.traits.software) return typical;
  return {
    addition,
    round: await measureRoundLatency(context),
    entry: (typical.entry * addition) / typical.addition,
    bucket: (typical.bucket * addition) / typical.addition,
  };
}

/** The context as the tuning says. */
export const withTuning = (
  context: GpuContext,
  { variants, round, msmRates }: Tuning,
  read: KernelReader,
): GpuContext => ({
  ...withVariants(context, variants, read),
  traits: { ...context.traits, msmRates },
  roundTuning: round,
});

/** Kernels linked with other multipliers are other kernels. */
export function withVariants(
  context: GpuContext,
  variants: FieldVariants,
  read: KernelReader,
): GpuContext {
  const same = variants.fp === context.variants.fp && variants.fr === context.variants.fr;
  if (same) return context;
  return { ...context, variants, kernels: createKernelCache(context.device, variants, read) };
}
