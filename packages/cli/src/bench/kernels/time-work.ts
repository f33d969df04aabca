import type { GpuContext } from '@cuzk/gpu/device/context';
import { median } from '../partition-times.ts';

export interface Timing {
  /** Median by the device's timestamps, summed over all submits; null where it has none. */
  readonly deviceSeconds: number | null;
  readonly wallSeconds: number;
  readonly repeats: number;
}

interface TimingOptions {
  readonly repeats: number;
  readonly perCall?: number;
  /** Repeats that begin; the last of them may end later. */
  readonly mostSeconds?: number;
}

/** A card that was idle runs at a low clock for about this long. */
const WARM_SECONDS = 0.7;
/** No measurement takes much longer than this, however slow the adapter is. */
const MOST_SECONDS = { hardware: 1, software: 12 };

/**
 * Times calls of `work`, each of which leaves the device idle, after `warmSeconds` of the same work. A call that does
 * the same thing `perCall` times is divided by that. At least one call is timed, and at most `repeats`.
 */
export async function timeWork(
  context: GpuContext,
  work: () => Promise<unknown>,
  { repeats, perCall = 1, mostSeconds }: TimingOptions,
): Promise<Timing> {
  const { software } = context.traits;
  const warmFrom = performance.now();
  const secondsSince = (from: number): number => (performance.now() - from) / 1000;
  do {
    await work();
  } while (!software && secondsSince(warmFrom) < WARM_SECONDS);
  const [walls, devices]: [number[], number[]] = [[], []];
  const timedFrom = performance.now();
  const most = mostSeconds ?? (software ? MOST_SECONDS.software : MOST_SECONDS.hardware);
  do {
    await context.timer.collect();
    const from = performance.now();
    await work();
    walls.push(secondsSince(from) / perCall);
    const phases = await context.timer.collect();
    if (phases.every(({ source }) => source === 'timestamps')) {
      devices.push(phases.reduce((sum, { seconds }) => sum + seconds, 0) / perCall);
    }
  } while (walls.length < repeats && secondsSince(timedFrom) < most);
  return {
    deviceSeconds: devices.length === walls.length ? median(devices) : null,
    wallSeconds: median(walls),
    repeats: walls.length,
  };
}

/** The better of the two clocks: what the device needed, where it says so. */
export const secondsOf = ({
  deviceSeconds,
  wallSeconds,
}: Pick<Timing, 'deviceSeconds' | 'wallSeconds'>): number => deviceSeconds ?? wallSeconds;
