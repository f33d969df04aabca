import { frMul } from '@cuzk/core/field/fr';
import { multipleOfGenerator } from '@cuzk/gpu/curve/generator-multiple';
import type { CurveGroup, PointSegments, ScalarSegments } from '@cuzk/gpu/curve/point-segments';
import { readBuffer } from '@cuzk/gpu/device/commands';
import type { GpuContext } from '@cuzk/gpu/device/context';
import { msm as msmFromHost } from '@cuzk/gpu/library/msm';
import { msm } from '@cuzk/gpu/msm/msm';
import { planMsm } from '@cuzk/gpu/msm/msm-plan';
import { type Ceilings, fourDigits, type KernelResult } from './kernel-result.ts';
import {
  BASE,
  firstPoints,
  firstScalars,
  geometricSum,
  SCALAR,
  samePoint,
  withPowerScalars,
} from './power-inputs.ts';
import { secondsOf, timeWork } from './time-work.ts';

/** Multiplications in Fp of an affine addition in a batch: two for the slope's product and square, four around them. */
const PRODUCTS: Readonly<Record<CurveGroup, number>> = { g1: 6, g2: 17 };
const REPEATS = 7;

export interface MsmSizes {
  readonly logCounts: readonly number[];
  /** Of these sizes the whole call is timed too, scalars from host memory. */
  readonly fromHost: readonly number[];
}

/**
 * MSMs by size. Each result is compared with one multiple of the generator by noble: bases are B^i·G and scalars S^i,
 * so the sum is Σ (S·B)^i times G.
 */
export async function timeMsms(
  context: GpuContext,
  ceilings: Ceilings,
  bases: PointSegments,
  { logCounts, fromHost }: MsmSizes,
  onResult: (result: KernelResult) => void,
): Promise<void> {
  await withPowerScalars(context, 2 ** Math.max(...logCounts), async (scalars) => {
    for (const logCount of logCounts) {
      onResult(await timeOne(context, ceilings, bases, scalars, logCount));
      if (fromHost.includes(logCount)) {
        onResult(await timeFromHost(context, bases, scalars, logCount));
      }
      context.buffers.trim();
    }
  });
}

async function timeOne(
  context: GpuContext,
  ceilings: Ceilings,
  allBases: PointSegments,
  allScalars: ScalarSegments,
  logCount: number,
): Promise<KernelResult> {
  const { group } = allBases;
  const count = 2 ** logCount;
  const bases = firstPoints(allBases, count);
  const scalars = firstScalars(allScalars, count);
  const plan = planMsm(count, context.traits, group, {}, bases.segmentPoints);
  let sum: Awaited<ReturnType<typeof msm>> = null;
  const timing = await timeWork(
    context,
    async () => {
      sum = await msm(context, bases, scalars, { phase: 'msm', plan });
    },
    { repeats: REPEATS },
  );
  const additionsPerSecond = plan.additions / secondsOf(timing);
  const reached = ceilings.fpPerSecond / additionsPerSecond;
  return {
    name: `MSM ${group.toUpperCase()} 2^${logCount}`,
    ...timing,
    figures: {
      windows: plan.windows,
      millionAdditionsPerSecond: fourDigits(additionsPerSecond / 1e6),
      multiplicationsPerAddition: fourDigits(reached),
      percentOfMultiplier: fourDigits((100 * PRODUCTS[group]) / reached),
    },
    ...checkSum(group, sum, count),
  };
}

/** The library's call, from scalars in host memory to the point: upload, MSM, read back, the host's last additions. */
async function timeFromHost(
  context: GpuContext,
  allBases: PointSegments,
  allScalars: ScalarSegments,
  logCount: number,
): Promise<KernelResult> {
  const { group } = allBases;
  const count = 2 ** logCount;
  const bases = { points: firstPoints(allBases, count), accepted: Promise.resolve() };
  const [first] = allScalars.segments as [GPUBuffer];
  const scalars = new Uint8Array(await readBuffer(context, first, 0, 32 * count));
  let sum: Awaited<ReturnType<typeof msm>> = null;
  const timing = await timeWork(
    context,
    async () => {
      sum = await msmFromHost({ context }, bases, scalars);
    },
    { repeats: REPEATS },
  );
  return {
    name: `MSM ${group.toUpperCase()} 2^${logCount}, whole call from host memory`,
    ...timing,
    figures: { millionPointsPerSecond: fourDigits(count / timing.wallSeconds / 1e6) },
    ...checkSum(group, sum, count),
  };
}

const checkSum = (
  group: CurveGroup,
  sum: Awaited<ReturnType<typeof msm>>,
  count: number,
): Pick<KernelResult, 'checked' | 'passed'> => ({
  checked: 'one multiple of the generator by noble',
  passed: samePoint(sum, multipleOfGenerator(group, geometricSum(frMul(SCALAR, BASE), count))),
});
