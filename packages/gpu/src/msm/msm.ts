import { type CurveRun, openPacedCommands, type PacedCommands } from '../curve/curve-commands.ts';
import { openPairTree, type PairTree } from '../curve/pair-tree.ts';
import { foldBuckets, foldedRows } from '../curve/pair-tree-fold.ts';
import { recordCollectGroups, sumRaggedGroups } from '../curve/pair-tree-groups.ts';
import type { PairForm } from '../curve/pair-tree-kernels.ts';
import {
  type AffineOf,
  allocatePoints,
  type CurveGroup,
  decodePoints,
  POINT_BYTES,
  type PointSegments,
  readPointWords,
  releaseSegments,
  type ScalarSegments,
} from '../curve/point-segments.ts';
import { closeIfFails } from '../device/close-if-fails.ts';
import { type Binding, groupsFor } from '../device/commands.ts';
import type { GpuContext } from '../device/context.ts';
import { type Submitted, submitted } from '../device/submitted.ts';
import { finishMsm } from './msm-finish.ts';
import { foldShape, type MsmPlan, planMsm, SCALAR_BITS } from './msm-plan.ts';
import { type DigitSort, openDigitSort, sortDigits } from './msm-sort.ts';
import { stepsOf } from './msm-steps.ts';
import type { PointPart } from './point-parts.ts';

export interface MsmOptions extends CurveRun {
  /** From planMsm, for the same count, group and segment length. */
  readonly plan?: MsmPlan;
  /** Bases at infinity are left out before the sort: for one array that has many of them. */
  readonly sparse?: boolean;
  /** Where scalars are on their way: settles once what is submitted from then on sees those below `end`. */
  readonly arrived?: (end: number) => Promise<void>;
}

/** Σ scalars[i]·bases[i]. See msmShared. */
export async function msm<G extends CurveGroup>(
  context: GpuContext,
  bases: PointSegments<G>,
  scalars: ScalarSegments,
  options: MsmOptions,
): Promise<AffineOf<G>> {
  const [sum] = await msmShared(context, [bases], scalars, options);
  return sum;
}

/**
 * Σ scalars[i]·bases[i] for each of several base arrays over the same scalars, which are cut into digits and sorted
 * once. Scalars are canonical (below r), in any order; bases of any value, infinity included, in the subgroup of
 * order r. Arrays have the group, count and segment length of the first. Signed-digit Pippenger with batch-affine
 * buckets (docs/kernels.md). Throws RangeError on counts that differ, CuzkError CANCELLED.
 */
export async function msmShared<G extends CurveGroup>(
  context: GpuContext,
  arrays: readonly PointSegments<G>[],
  scalars: ScalarSegments,
  options: MsmOptions,
): Promise<AffineOf<G>[]> {
  const { result } = await submitMsm(context, arrays, scalars, options);
  return result;
}

/**
 * As msmShared, which see, but resolves when the work is submitted: the memory that it took is given back then, and
 * bases and scalars may be written to by what is submitted later.
 */
export async function submitMsm<G extends CurveGroup>(
  context: GpuContext,
  arrays: readonly PointSegments<G>[],
  scalars: ScalarSegments,
  options: MsmOptions,
): Promise<Submitted<AffineOf<G>[]>> {
  const shape = requireSameShape(arrays, scalars);
  if (shape === undefined) {
    return submitted(Promise.resolve(arrays.map(() => null as AffineOf<G>)));
  }
  const { group, count, segmentPoints } = shape;
  if (options.sparse && arrays.length > 1) {
    throw new RangeError('MSM: expected one array of bases that may be left out');
  }
  const arriving = options.arrived !== undefined;
  const plan = options.plan ?? planMsm(count, context.traits, group, { arriving }, segmentPoints);
  if (plan.count !== count || plan.segmentPoints !== segmentPoints) {
    throw new RangeError(
      `MSM plan: expected one for ${count} points in segments of ${segmentPoints}`,
    );
  }
  const folded = await submitFolded(context, arrays, scalars, plan, options);
  return submitted(
    folded.result.then((all) =>
      all.map((words) => finishMsm(group, plan, context.variants, words)),
    ),
  );
}

/**
 * The buckets of the plan's windows folded on the device: for each array the rows of pair-tree-fold.ts, window by
 * window. Arrays and scalars as for msmShared, which checks them. Throws CuzkError CANCELLED.
 */
export async function foldedBuckets<G extends CurveGroup>(
  context: GpuContext,
  arrays: readonly PointSegments<G>[],
  scalars: ScalarSegments,
  plan: MsmPlan,
  options: MsmOptions,
): Promise<AffineOf<G>[][]> {
  const folded = await submitFolded(context, arrays, scalars, plan, options);
  const all = await folded.result;
  return all.map((words) => decodePoints(context.variants, arrays[0].group, words));
}

/** As foldedBuckets; rows as the device stored them, on their way: memory is given back once all is submitted. */
async function submitFolded(
  context: GpuContext,
  arrays: readonly PointSegments[],
  scalars: ScalarSegments,
  plan: MsmPlan,
  options: MsmOptions,
): Promise<Submitted<Uint32Array[]>> {
  const work = await openMsmWork(context, plan, arrays, options.form);
  try {
    const commands = openPacedCommands(context, options);
    let row = 0;
    for (const fold of plan.folds) {
      await fillBuckets(work, commands, scalars, fold, options);
      const arraysOfBuckets = foldShape(plan, fold);
      for (const one of work.arrays) {
        await foldBuckets(
          work.tree,
          commands,
          { buckets: one.buckets.segments[0], ...arraysOfBuckets },
          { rows: one.folded.segments[0], firstRow: row },
        );
      }
      row += foldedRows(arraysOfBuckets);
    }
    await commands.send();
    // the copies are submitted before this returns
    const reads = work.arrays.map(({ folded }) => readPointWords(context, folded, 0, row));
    return submitted(Promise.all(reads));
  } finally {
    work.close();
  }
}

interface MsmWork<G extends CurveGroup> {
  readonly plan: MsmPlan;
  readonly tree: PairTree<G>;
  readonly sort: DigitSort;
  readonly arrays: readonly {
    readonly bases: PointSegments<G>;
    /** Sums per bucket of the fold at hand. */
    readonly buckets: PointSegments<G>;
    /** Rows for the host. */
    readonly folded: PointSegments<G>;
  }[];
  close(): void;
}

async function openMsmWork<G extends CurveGroup>(
  context: GpuContext,
  plan: MsmPlan,
  arrays: readonly PointSegments<G>[],
  form: PairForm | undefined,
): Promise<MsmWork<G>> {
  const { group } = arrays[0];
  const size = {
    elements: plan.elements,
    arenaPoints: plan.arenaPoints,
    groups: plan.runBuckets,
  };
  const tree = await openPairTree(context, group, size, form);
  const sort = await closeIfFails(
    openDigitSort(context, group, {
      entries: plan.runEntries,
      elements: plan.elements,
      buckets: plan.runBuckets,
    }),
    tree,
  );
  const rows = (count: number, label: string): PointSegments<G> =>
    allocatePoints(context, group, count, label, { kind: 'scratch', segmentPoints: count });
  const perArray = arrays.map((bases) => ({
    bases,
    buckets: rows(plan.foldBuckets, 'buckets'),
    folded: rows(SCALAR_BITS, 'folded buckets'),
  }));
  return {
    plan,
    tree,
    sort,
    arrays: perArray,
    close: () => {
      for (const one of perArray) {
        releaseSegments(context, one.buckets);
        releaseSegments(context, one.folded);
      }
      sort.close();
      tree.close();
    },
  };
}

/** Fills the buckets of a fold's windows, run by run and part by part. */
async function fillBuckets(
  work: MsmWork<CurveGroup>,
  commands: PacedCommands,
  scalars: ScalarSegments,
  fold: MsmPlan['folds'][number],
  { sparse, arrived }: Pick<MsmOptions, 'sparse' | 'arrived'>,
): Promise<void> {
  const { plan, tree, sort } = work;
  for (const { part, run, firstRow, seeded } of stepsOf(plan, fold)) {
    const { first, count } = part;
    await arrived?.(first + count);
    const groups = await sortDigits(tree, sort, commands, {
      scalars,
      first,
      count,
      shape: plan,
      run,
      seeded,
      sparseBases: sparse ? bindPart(work.arrays[0].bases, part) : undefined,
      scatterEntries: plan.scatterEntries,
    });
    for (const one of work.arrays) {
      const rows = { rows: one.buckets.segments[0], firstRow };
      if (seeded) recordSeeds(tree, commands, rows, groups.groups);
      const base = { points: bindPart(one.bases, part), start: 0 };
      const left = await sumRaggedGroups(tree, commands, base, groups, seeded ? groups.groups : 0);
      recordCollectGroups(tree, commands, base, { ...left, groups: groups.groups }, rows);
    }
  }
}

function bindPart(
  { group, segments }: PointSegments,
  { segment, start, count }: PointPart,
): Binding {
  const bytes = POINT_BYTES[group];
  return { buffer: segments[segment], offset: start * bytes, size: count * bytes };
}

/** Puts the buckets' sums so far into the first arena slots. */
function recordSeeds(
  tree: PairTree,
  commands: PacedCommands,
  from: { rows: GPUBuffer; firstRow: number },
  count: number,
): void {
  const kernel = tree.kernels.seedArena;
  commands.dispatch(
    kernel,
    [from.rows, tree.arenaX, tree.arenaY],
    groupsFor(count, kernel.workgroupSize),
    [count, from.firstRow, tree.size.arenaPoints],
  );
}

/** Group, count and segment length all arrays share; undefined where there is nothing to add. */
function requireSameShape<G extends CurveGroup>(
  arrays: readonly PointSegments<G>[],
  scalars: ScalarSegments,
): { group: G; count: number; segmentPoints: number } | undefined {
  const [first] = arrays;
  if (first === undefined) return undefined;
  const { group, count, segmentPoints } = first;
  for (const bases of arrays) {
    if (
      bases.group !== group ||
      bases.count !== count ||
      bases.segmentPoints !== segmentPoints ||
      scalars.count !== count
    ) {
      throw new RangeError(
        `MSM: expected ${count} scalars and bases of ${group} in segments of ${segmentPoints}, ` +
          `got ${scalars.count} scalars, ${bases.count} bases of ${bases.group} in segments of ${bases.segmentPoints}`,
      );
    }
  }
  return count === 0 ? undefined : { group, count, segmentPoints };
}
