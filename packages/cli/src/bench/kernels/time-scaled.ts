import type { GpuContext } from '@cuzk/gpu/device/context';
import { measureMultiplier } from '@cuzk/gpu/field/measure-multiplier';
import { fourDigits } from './kernel-result.ts';

/** Million Fp multiplications a second and core of the machine that goals are given for (docs/performance.md). */
const REFERENCE_RATE = 14.2;

export interface ScaledTiming<T> {
  /** Of the work. */
  readonly result: T;
  readonly wallSeconds: number;
  /** Empty on hardware. */
  readonly figures: Readonly<Record<string, number>>;
}

/**
 * Times one call of `work`, which leaves the device idle. On a software adapter, where the cores are the device, with
 * its processor seconds and the multiplier's rate right before and right after it, in the same process: what such a
 * machine gives moves within minutes. `goalSeconds` of the reference machine is then scaled by the mean of the two.
 */
export async function timeScaled<T>(
  context: GpuContext,
  work: () => Promise<T>,
  goalSeconds?: number,
): Promise<ScaledTiming<T>> {
  const { software } = context.traits;
  const before = software ? await measureMultiplier(context) : undefined;
  const [startedAt, usage] = [performance.now(), process.cpuUsage()];
  const result = await work();
  const { user, system } = process.cpuUsage(usage);
  const wallSeconds = (performance.now() - startedAt) / 1000;
  if (before === undefined) return { result, wallSeconds, figures: {} };
  const after = await measureMultiplier(context);
  const figures = {
    processorSeconds: (user + system) / 1e6,
    millionFpPerSecondAndCoreBefore: before,
    millionFpPerSecondAndCoreAfter: after,
    ...(goalSeconds === undefined
      ? {}
      : { scaledGoalSeconds: goalFor(goalSeconds, before, after) }),
  };
  return {
    result,
    wallSeconds,
    figures: Object.fromEntries(
      Object.entries(figures).map(([name, value]) => [name, fourDigits(value)]),
    ),
  };
}

/** A goal of the reference machine, on one whose multiplier had these rates around the work. */
export const goalFor = (goalSeconds: number, before: number, after: number): number =>
  (goalSeconds * REFERENCE_RATE) / ((before + after) / 2);
