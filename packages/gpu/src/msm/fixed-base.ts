import { type CurveRun, openPacedCommands, type PacedCommands } from '../curve/curve-commands.ts';
import { openPairTree, type PairTree, recordCollectList } from '../curve/pair-tree.ts';
import { sumEqualGroups } from '../curve/pair-tree-equal.ts';
import {
  allocatePoints,
  type CurveGroup,
  type PointSegments,
  releaseSegments,
  type ScalarSegments,
} from '../curve/point-segments.ts';
import { groupsFor } from '../device/commands.ts';
import type { GpuContext } from '../device/context.ts';
import type { Kernel } from '../device/kernel.ts';
import { type FixedBasePlan, planFixedBase } from './fixed-base-plan.ts';
import { fillFixedBaseTable, tableRoundSize } from './fixed-base-table.ts';
import { windowHalves } from './msm-sort.ts';

/** Multiples of a group's standard generator, as parameter generation needs them by the million. */
export interface FixedBase<G extends CurveGroup> {
  /**
   * scalars[i]·G for every i, canonical scalars below r. Fills `into` where given, from its point `first` on, else new
   * points. Throws CuzkError CANCELLED.
   */
  multiply(
    scalars: ScalarSegments,
    run: CurveRun,
    into?: { points: PointSegments<G>; first: number },
  ): Promise<PointSegments<G>>;
  /** Returns table and scratch to the pool. */
  close(): void;
}

const WORKGROUP = 64;

/**
 * Builds a table of multiples of the generator, sized for about `count` scalars, on the device: a scalar is then a
 * sum of one table entry per window, by the pair tree. The table must fit one binding.
 */
export async function openFixedBase<G extends CurveGroup>(
  context: GpuContext,
  group: G,
  count: number,
  run: CurveRun,
): Promise<FixedBase<G>> {
  const plan = planFixedBase(count, context.traits, group);
  const { windows } = plan.shape;
  const round = tableRoundSize(plan);
  const tree = await openPairTree(
    context,
    group,
    {
      elements: Math.max(plan.chunk * windows, 2 * round),
      arenaPoints: Math.max(plan.chunk * (windows - 1), round),
      groups: 1,
    },
    run.form,
  );
  const table = allocatePoints(context, group, plan.tableRows + 1, 'fixed-base table', {
    kind: 'scratch',
    segmentPoints: plan.tableRows + 1,
  });
  const close = (): void => {
    releaseSegments(context, table);
    tree.close();
  };
  try {
    const digits = await context.kernels.get({
      file: 'setup/fixed-base-digits.wgsl',
      bindings: 'rwu',
      workgroupSize: WORKGROUP,
    });
    const commands = openPacedCommands(context, run);
    await fillFixedBaseTable(tree, commands, plan, table);
    await commands.flush();
    return {
      multiply: async (scalars, multiplyRun, into) => {
        const points =
          into?.points ?? allocatePoints(context, group, scalars.count, multiplyRun.phase);
        const paced = openPacedCommands(context, multiplyRun);
        const work = { tree, table: table.segments[0], digits, plan };
        try {
          await multiplyAll(work, paced, scalars, points, into?.first ?? 0);
          await paced.flush();
          return points;
        } catch (error) {
          if (into === undefined) releaseSegments(context, points);
          throw error;
        }
      },
      close,
    };
  } catch (error) {
    close();
    throw error;
  }
}

interface FixedBaseWork {
  readonly tree: PairTree;
  readonly table: GPUBuffer;
  readonly digits: Kernel;
  readonly plan: FixedBasePlan;
}

async function multiplyAll(
  { tree, table, digits, plan }: FixedBaseWork,
  commands: PacedCommands,
  scalars: ScalarSegments,
  points: PointSegments,
  firstPoint: number,
): Promise<void> {
  const { shape } = plan;
  const windows = [...windowHalves(shape), shape.wide, shape.bits, 0, shape.windows];
  const base = { points: table, start: 0 };
  const rest = (at: number, length: number): number => length - (at % length);
  for (let first = 0; first < scalars.count; ) {
    const target = firstPoint + first;
    const count = Math.min(
      plan.chunk,
      scalars.count - first,
      rest(first, scalars.segmentScalars),
      rest(target, points.segmentPoints),
    );
    const list = tree.lists[0];
    commands.dispatch(
      digits,
      [scalars.segments[Math.floor(first / scalars.segmentScalars)], list],
      groupsFor(count, WORKGROUP),
      [...windows, count, first % scalars.segmentScalars, plan.tableRows],
    );
    const left = await sumEqualGroups(tree, commands, base, {
      list,
      start: 0,
      groups: count,
      size: shape.windows,
    });
    recordCollectList(
      tree,
      commands,
      base,
      { list: left.list, listStart: 0, count },
      {
        rows: points.segments[Math.floor(target / points.segmentPoints)],
        firstRow: target % points.segmentPoints,
      },
    );
    first += count;
  }
}
