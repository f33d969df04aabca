import {
  compileRounds,
  fastestRound,
  type MeasuredRound,
  measureRoundLatency,
  measureRounds,
} from '../curve/tune-rounds.ts';
import type { FieldVariants, GpuContext, MsmRates, RoundTuning } from '../device/context.ts';
import { createKernelCache } from '../device/kernel.ts';
import type { KernelReader } from '../device/wgsl.ts';
import { measureMultiplier } from '../field/measure-multiplier.ts';
import {
  compileMultipliers,
  type MeasuredMultiplier,
  tuneMultipliers,
} from '../field/tune-multipliers.ts';
import { typicalRates } from '../msm/msm-plan.ts';

/** What was chosen for one adapter, and all that was measured for it. */
export interface Tuning {
  readonly variants: FieldVariants;
  /** Null where its kind of adapter has one layout only. */
  readonly round: RoundTuning | null;
  readonly msmRates: MsmRates;
  readonly measured: {
    readonly multipliers: readonly MeasuredMultiplier[];
    readonly rounds: readonly MeasuredRound[];
    readonly seconds: number;
  };
}

/**
 * Measures multipliers and layouts of a round of additions on this device and picks the fastest ones, and takes from
 * them what an MSM's windows cost. Two to four seconds at the first start on a large GPU, nearly all of it compiling.
 */
export async function tuneDevice(
  context: GpuContext,
  allowed: FieldVariants,
  read: KernelReader,
): Promise<Tuning> {
  const startedAt = performance.now();
  // where the usual multipliers turn out not to be the fastest, some are compiled again
  await Promise.all([compileMultipliers(context, allowed), compileRounds(context)]);
  await warmCard(context);
  const { variants, measured: multipliers } = await tuneMultipliers(context, allowed);
  const chosen = withVariants(context, variants, read);
  const rounds = await measureRounds(chosen);
  const { round, msmRates } = await choicesOf(chosen, rounds);
  const seconds = (performance.now() - startedAt) / 1000;
  return { variants, round, msmRates, measured: { multipliers, rounds, seconds } };
}

const WARM_MS = 200;

/** A card that waited for pipelines has a low clock for a while. */
async function warmCard(context: GpuContext): Promise<void> {
  if (context.traits.software) return;
  for (const startMs = performance.now(); performance.now() - startMs < WARM_MS; ) {
    await measureMultiplier(context);
  }
}

/**
 * The fastest layout, and what an MSM's parts take with it: digits and buckets are taken to scale as additions do. Where
 * no layout was measured everything scales, and with it nothing about windows changes.
 */
async function choicesOf(
  context: GpuContext,
  rounds: readonly MeasuredRound[],
): Promise<Pick<Tuning, 'round' | 'msmRates'>> {
  const typical = typicalRates(context.traits);
  if (rounds.length === 0) return { round: null, msmRates: typical };
  const { workgroupSize, pairsPerThread, additionsPerSecond } = fastestRound(rounds);
  const round = { workgroupSize, pairsPerThread };
  const scale = 1 / additionsPerSecond / typical.addition;
  return {
    round,
    msmRates: {
      addition: 1 / additionsPerSecond,
      round: await measureRoundLatency({ ...context, roundTuning: round }),
      entry: typical.entry * scale,
      bucket: typical.bucket * scale,
    },
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
  ...(round === null ? {} : { roundTuning: round }),
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
