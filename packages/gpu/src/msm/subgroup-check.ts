import { g1 } from '@cuzk/core/curve/g1';
import { g2 } from '@cuzk/core/curve/g2';
import { isInG1, isInG2 } from '@cuzk/core/curve/noble-points';
import type { G1Affine, G2Affine } from '@cuzk/core/curve/points';
import { type CurveRun, openPacedCommands } from '../curve/curve-commands.ts';
import {
  type AffineOf,
  type CurveGroup,
  POINT_BYTES,
  type PointSegments,
  pointsInSegment,
  readPoints,
} from '../curve/point-segments.ts';
import type { GpuContext } from '../device/context.ts';
import { foldedBuckets } from './msm.ts';
import { type MsmPlan, planMsm, windowBits } from './msm-plan.ts';
import { openRandomScalars, type RandomScalars, randomScalarBytes } from './random-scalars.ts';

/** A bad array passes with a probability below 2^−SOUNDNESS_BITS. */
const SOUNDNESS_BITS = 50;
/** As CurveRun. */
export interface SubgroupRun extends CurveRun {
  /** Most entries sorted at once: bounds scratch memory. */
  readonly maxEntries?: number;
}

/** So few points are looked at one by one. */
const FEW = 16;

/**
 * The number of a point that is not in the subgroup of order r, or undefined where all are. Points must be of the
 * curve; infinity is in the subgroup.
 *
 * One pass of bucket sums instead of a multiplication by r for each point: every point gets a random digit d of c bits
 * for each of a few windows and goes, with the sign of d, to bucket |d| − 1; the folded buckets are the sums over the
 * points whose bucket number has bit j, for every j. In the quotient of the curve by the subgroup, fix the digits of
 * all points but one that is not zero there. All sums of a window vanish only if the bits of its bucket number are
 * certain ones, which at most one value of d for each sign does, or d = 0: a probability of at most 3·2^−c. Windows
 * are independent, and the sums, a few dozen, are tested on the host. A point is then found by halving.
 * Throws CuzkError CANCELLED.
 */
export async function findOutsideSubgroup<G extends CurveGroup>(
  context: GpuContext,
  points: PointSegments<G>,
  run: SubgroupRun,
): Promise<number | undefined> {
  if (points.count === 0) return undefined;
  const random = await openRandomScalars(context);
  // all segments at once: the host looks at their sums together
  if (await allInSubgroup(context, points, random, run)) return undefined;
  const bytes = POINT_BYTES[points.group];
  for (const [index, segment] of points.segments.entries()) {
    const first = index * points.segmentPoints;
    const count = pointsInSegment(points, index);
    const whole = { ...points, count, segmentPoints: count, segments: [segment] };
    if (await allInSubgroup(context, whole, random, run)) continue;
    const piece = (at: number, length: number): Promise<PointSegments<G>> =>
      copyOf(context, segment, at * bytes, { ...whole, count: length, segmentPoints: length }, run);
    return first + (await locate(context, whole, piece, random, run));
  }
  // only where every segment passed by chance
  return 0;
}

/** Halves [at, at + length), which has a bad point, until it is found. */
async function locate<G extends CurveGroup>(
  context: GpuContext,
  whole: PointSegments<G>,
  piece: (at: number, length: number) => Promise<PointSegments<G>>,
  random: RandomScalars,
  run: SubgroupRun,
): Promise<number> {
  let at = 0;
  let length = whole.count;
  while (length > FEW) {
    const half = Math.ceil(length / 2);
    const lower = await piece(at, half);
    const good = await allInSubgroup(context, lower, random, run);
    for (const segment of lower.segments) context.buffers.drop(segment);
    if (good) at += half;
    length = good ? length - half : half;
  }
  const candidates = await readPoints(context, whole, at, length);
  const bad = candidates.findIndex((point) => !isInSubgroup(whole.group, point));
  // only where the last halves passed by chance
  return at + Math.max(bad, 0);
}

async function copyOf<G extends CurveGroup>(
  context: GpuContext,
  source: GPUBuffer,
  offset: number,
  form: PointSegments<G>,
  run: CurveRun,
): Promise<PointSegments<G>> {
  const sizeBytes = form.count * POINT_BYTES[form.group];
  const copy = context.buffers.take('scratch', sizeBytes, 'half of the points');
  const commands = openPacedCommands(context, run);
  commands.copy(source, offset, copy, 0, sizeBytes);
  await commands.send();
  return { ...form, segments: [copy] };
}

/** Every segment gets its digits when its turn comes, and for each run of windows new ones: windows are independent. */
async function allInSubgroup<G extends CurveGroup>(
  context: GpuContext,
  points: PointSegments<G>,
  random: RandomScalars,
  run: SubgroupRun,
): Promise<boolean> {
  const { count, group, segmentPoints, segments } = points;
  const plan = planLowWindows(context, points, run);
  const most = Math.min(count, segmentPoints);
  const scalars = context.buffers.take('scratch', randomScalarBytes(most), 'random scalars');
  try {
    const commands = openPacedCommands(context, run);
    const arrived = async (): Promise<void> => {
      random.fill(commands, scalars, most);
      await commands.send();
    };
    const digits = { count, segmentScalars: segmentPoints, segments: segments.map(() => scalars) };
    const [rows] = await foldedBuckets(context, [points], digits, plan, { ...run, arrived });
    return rows.every((sum) => isInSubgroup(group, sum));
  } finally {
    context.buffers.give(scalars);
  }
}

/** The windows of an MSM of so many points, but only as many as soundness asks for. */
function planLowWindows(
  context: GpuContext,
  { count, group, segmentPoints }: PointSegments,
  { maxEntries }: SubgroupRun,
): MsmPlan {
  const all = planMsm(count, context.traits, group, {}, segmentPoints);
  let lowWindows = 0;
  for (let bits = 0; bits < SOUNDNESS_BITS; lowWindows++) {
    bits += windowBits(all, lowWindows) - Math.log2(3);
  }
  const bound = maxEntries === undefined ? {} : { maxEntries };
  const options = { windows: all.windows, lowWindows, ...bound };
  return planMsm(count, context.traits, group, options, segmentPoints);
}

function isInSubgroup<G extends CurveGroup>(group: G, point: AffineOf<G>): boolean {
  if (group === 'g1') {
    const p = point as G1Affine;
    return g1.isOnCurve(p) && isInG1(p);
  }
  const p = point as G2Affine;
  return g2.isOnCurve(p) && isInG2(p);
}
