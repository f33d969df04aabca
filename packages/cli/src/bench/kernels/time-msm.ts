import { multipleOfGenerator } from '@cuzk/gpu/curve/generator-multiple';
import type { CurveGroup, PointSegments, ScalarSegments } from '@cuzk/gpu/curve/point-segments';
import type { GpuContext } from '@cuzk/gpu/device/context';
import { stageUpload } from '@cuzk/gpu/device/staged-upload';
import { msm } from '@cuzk/gpu/msm/msm';
import { planMsm } from '@cuzk/gpu/msm/msm-plan';
import { firstPoints, samePoint } from './generator-multiples.ts';
import { type Ceilings, fourDigits, type KernelResult } from './kernel-result.ts';
import { secondsOf, timeWork } from './time-work.ts';
import { firstScalars, makeWeightedScalars, type WeightedScalars } from './weighted-scalars.ts';

/** Multiplications in Fp of an affine addition in a batch: two for the slope's product and square, four around them. */
const PRODUCTS: Readonly<Record<CurveGroup, number>> = { g1: 6, g2: 17 };
const REPEATS = 7;
const SEED = 20;

export interface MsmSizes {
  readonly logCounts: readonly number[];
  /** Of these sizes the whole call is timed too, scalars from host memory. */
  readonly fromHost: readonly number[];
}

/**
 * MSMs of random scalars by size. Each result is compared with one multiple of the generator by noble: `bases` are
 * (i + 1)·G, so the sum is Σ (i + 1)·s_i times G.
 */
export async function timeMsms(
  context: GpuContext,
  ceilings: Ceilings,
  bases: PointSegments,
  { logCounts, fromHost }: MsmSizes,
  onResult: (result: KernelResult) => void,
): Promise<void> {
  const counts = logCounts.map((log) => 2 ** log);
  const weighted = makeWeightedScalars(context, counts, SEED);
  try {
    for (const logCount of logCounts) {
      onResult(await timeOne(context, ceilings, bases, weighted, logCount));
      if (fromHost.includes(logCount)) {
        onResult(await timeFromHost(context, bases, weighted, logCount));
      }
      context.buffers.trim();
    }
  } finally {
    weighted.close();
  }
}

async function timeOne(
  context: GpuContext,
  ceilings: Ceilings,
  allBases: PointSegments,
  weighted: WeightedScalars,
  logCount: number,
): Promise<KernelResult> {
  const { group } = allBases;
  const count = 2 ** logCount;
  const bases = firstPoints(allBases, count);
  const scalars = firstScalars(weighted.scalars, count);
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
    ...checkSum(group, sum, weighted.weightedSum(count)),
  };
}

/** From scalars in host memory to the point: upload, MSM, read back, the host's last additions. */
async function timeFromHost(
  context: GpuContext,
  allBases: PointSegments,
  weighted: WeightedScalars,
  logCount: number,
): Promise<KernelResult> {
  const { group } = allBases;
  const count = 2 ** logCount;
  const bases = firstPoints(allBases, count);
  const bytes = weighted.firstBytes.subarray(0, 32 * count);
  const buffer = context.buffers.take('scratch', bytes.byteLength, 'scalars from the host');
  const scalars: ScalarSegments = { count, segmentScalars: count, segments: [buffer] };
  const target = { from: 0, sizeBytes: bytes.byteLength, buffer, offset: 0 };
  let sum: Awaited<ReturnType<typeof msm>> = null;
  const timing = await timeWork(
    context,
    async () => {
      const { reached } = stageUpload(context, bytes, [target]);
      const arrived = (end: number): Promise<void> => reached(32 * end);
      sum = await msm(context, bases, scalars, { phase: 'msm', arrived });
    },
    { repeats: REPEATS },
  );
  context.buffers.drop(buffer);
  return {
    name: `MSM ${group.toUpperCase()} 2^${logCount}, whole call from host memory`,
    ...timing,
    figures: { millionPointsPerSecond: fourDigits(count / timing.wallSeconds / 1e6) },
    ...checkSum(group, sum, weighted.weightedSum(count)),
  };
}

const checkSum = (
  group: CurveGroup,
  sum: Awaited<ReturnType<typeof msm>>,
  expected: bigint,
): Pick<KernelResult, 'checked' | 'passed'> => ({
  checked: 'one multiple of the generator by noble',
  passed: samePoint(sum, multipleOfGenerator(group, expected)),
});
