import { fromNobleG1, fromNobleG2, toNobleG1, toNobleG2 } from '@cuzk/core/curve/noble-points';
import { G1_GENERATOR, G2_GENERATOR } from '@cuzk/core/curve/points';
import type { PacedCommands } from '../curve/curve-commands.ts';
import { type PairTree, recordAdditions, recordCollectList } from '../curve/pair-tree.ts';
import {
  type AffineOf,
  type CurveGroup,
  type PointSegments,
  writePoints,
} from '../curve/point-segments.ts';
import { groupsFor } from '../device/commands.ts';
import type { FixedBasePlan } from './fixed-base-plan.ts';
import { bucketsInRun, type WindowShape, windowOffset } from './msm-plan.ts';

const WORKGROUP = 64;

/**
 * Fills `table` (plan.tableRows + 1 points in one segment): for each window, in order, 1 … 2^(c−1) times 2^offset·G of
 * the group's standard generator, and infinity last. Additions: one per row.
 */
export async function fillFixedBaseTable<G extends CurveGroup>(
  tree: PairTree<G>,
  commands: PacedCommands,
  plan: FixedBasePlan,
  table: PointSegments<G>,
): Promise<void> {
  const { context } = tree;
  const { shape } = plan;
  const kernel = await context.kernels.get({
    file: 'setup/fixed-base-double.wgsl',
    bindings: 'wwwu',
    workgroupSize: WORKGROUP,
  });
  const starts = Array.from({ length: shape.windows }, (_, window) =>
    bucketsInRun(shape, { first: 0, count: window }),
  );
  windowBases(tree.group, shape).forEach((base, window) => {
    writePoints(context, table, starts[window], [base]);
  });
  writePoints(context, table, plan.tableRows, [null as AffineOf<G>]);
  const rows = table.segments[0];
  const base = { points: rows, start: 0 };
  const list = tree.lists[0];
  for (let logFilled = 0; logFilled < shape.bits - 1; logFilled++) {
    const filled = 2 ** logFilled;
    // the last doubling is for the wide windows alone
    const windows = logFilled < shape.bits - 2 ? shape.windows : shape.wide;
    const pairs = windows * filled;
    commands.dispatch(kernel, [tree.pairs, list, tree.state], groupsFor(pairs, WORKGROUP), [
      windows,
      logFilled,
      shape.wide,
      shape.bits,
    ]);
    recordAdditions(tree, commands, base, pairs);
    for (let window = 0; window < windows; window++) {
      // a row cannot be read and written at once, so sums reach the table from the arena
      recordCollectList(
        tree,
        commands,
        { points: tree.arenaX, start: 0 },
        { list, listStart: window * filled, count: filled },
        { rows, firstRow: starts[window] + filled },
      );
    }
    await commands.spend(pairs);
  }
}

/** Sums of one construction round that the arena must hold, and elements. */
export function tableRoundSize({ shape }: FixedBasePlan): number {
  let most = 1;
  for (let log = 0; log < shape.bits - 1; log++)
    most = Math.max(most, (log < shape.bits - 2 ? shape.windows : shape.wide) * 2 ** log);
  return most;
}

/** 2^offset·G for every window. */
function windowBases<G extends CurveGroup>(group: G, shape: WindowShape): AffineOf<G>[] {
  const offsets = Array.from({ length: shape.windows }, (_, window) => windowOffset(shape, window));
  if (group === 'g1') {
    const powers = doublings(toNobleG1(G1_GENERATOR), offsets);
    return powers.map((point) => fromNobleG1(point) as AffineOf<G>);
  }
  const powers = doublings(toNobleG2(G2_GENERATOR), offsets);
  return powers.map((point) => fromNobleG2(point) as AffineOf<G>);
}

function doublings<P extends { double(): P }>(start: P, offsets: readonly number[]): P[] {
  let power = start;
  let reached = 0;
  return offsets.map((offset) => {
    for (; reached < offset; reached++) power = power.double();
    return power;
  });
}
