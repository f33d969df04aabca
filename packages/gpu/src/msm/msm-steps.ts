import { bucketsInRun, type MsmPlan, type WindowRun } from './msm-plan.ts';
import type { PointPart } from './point-parts.ts';

/** One run of windows over one part of the points. */
export interface Step {
  readonly part: PointPart;
  readonly run: WindowRun;
  /** Of the run's buckets. */
  readonly firstRow: number;
  /** Earlier parts are in the buckets already. */
  readonly seeded: boolean;
}

/** Part by part, so that scalars on their way are waited for as late as may be, and each run by run. */
export const stepsOf = (plan: MsmPlan, { first, parts }: MsmPlan['folds'][number]): Step[] =>
  parts.flatMap(({ runs, ...part }, i) =>
    runs.map((run) => ({
      part,
      run,
      firstRow: bucketsInRun(plan, { first, count: run.first - first }),
      seeded: i > 0,
    })),
  );
