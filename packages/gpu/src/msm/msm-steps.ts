import { forEachPiece, type PointSegments } from '../curve/point-segments.ts';
import { bucketsInRun, type MsmPlan, type WindowRun } from './msm-plan.ts';

/** One run of windows over one part of the points. */
export interface Step {
  readonly part: BasePart;
  readonly run: WindowRun;
  /** Of the run's buckets. */
  readonly firstRow: number;
  /** Earlier parts are in the buckets already. */
  readonly seeded: boolean;
}

/** Run by run and part by part; where scalars are on their way, all runs of a part before the next part. */
export function stepsOf(
  plan: MsmPlan,
  fold: MsmPlan['folds'][number],
  bases: PointSegments,
  split: boolean,
): Step[] {
  let row = 0;
  const runs = fold.runs.map((run) => {
    const firstRow = row;
    row += bucketsInRun(plan, run);
    return { run, firstRow };
  });
  const parts = partsOf(bases, split);
  if (split)
    return parts.flatMap((part, i) => runs.map((run) => ({ ...run, part, seeded: i > 0 })));
  return runs.flatMap((run) => parts.map((part, i) => ({ ...run, part, seeded: i > 0 })));
}

/** Points that are sorted at once: a segment, or one part of two. */
export interface BasePart {
  readonly segment: number;
  /** First point, in the segment and in all. */
  readonly start: number;
  readonly first: number;
  readonly count: number;
}

/** A binding starts at a multiple of 256 bytes, and a point takes 96 or 192. */
const PART_STEP = 8;

/** The first part of a segment: its sums take as long as the upload of the rest. */
const FIRST_SHARE = 3 / 8;

function partsOf(bases: PointSegments, split: boolean): BasePart[] {
  const parts: BasePart[] = [];
  const most = Math.min(bases.segmentPoints, bases.count);
  const cut = split ? PART_STEP * Math.ceil((most * FIRST_SHARE) / PART_STEP) : most;
  forEachPiece(0, bases.count, bases.segmentPoints, (segment, _start, points, first) => {
    parts.push({ segment, start: 0, first, count: Math.min(cut, points) });
    if (points > cut) parts.push({ segment, start: cut, first: first + cut, count: points - cut });
  });
  return parts;
}
