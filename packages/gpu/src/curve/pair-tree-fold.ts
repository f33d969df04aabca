import { type Binding, groupsFor } from '../device/commands.ts';
import type { PacedCommands } from './curve-commands.ts';
import { type PairTree, recordAdditions, recordCollectList } from './pair-tree.ts';

/** Arrays of buckets, one per window: first `wide` arrays of 2^logWide points, then `narrow` of half as many. */
export interface BucketArrays {
  readonly buckets: Binding;
  readonly wide: number;
  readonly narrow: number;
  readonly logWide: number;
}

/** Rows that foldBuckets writes: per wide window logWide + 1, per narrow one logWide. */
export const foldedRows = ({ wide, narrow, logWide }: Omit<BucketArrays, 'buckets'>): number =>
  wide * (logWide + 1) + narrow * logWide;

/** Elements of the longest list and arena points of a fold. */
export function foldSize({ wide, narrow, logWide }: Omit<BucketArrays, 'buckets'>): {
  elements: number;
  sums: number;
} {
  let elements = foldedRows({ wide, narrow, logWide });
  let sums = 0;
  for (let round = 0; round < logWide; round++) {
    const { pairs, left } = foldRound({ wide, narrow, logWide }, round);
    // the first round has no input list, but its pairs count as two elements each
    elements = Math.max(elements, left, 2 * pairs);
    sums += pairs;
  }
  return { elements, sums };
}

/** Pairs of a round and elements of the list it leaves. Narrow windows sit the first round out. */
function foldRound(
  { wide, narrow, logWide }: Omit<BucketArrays, 'buckets'>,
  round: number,
): { pairs: number; left: number; active: number } {
  const size = 2 ** (logWide - round - 1);
  const active = round === 0 ? 0 : narrow;
  return {
    pairs: (wide * (round + 1) + active * round) * size,
    left: (wide * (round + 2) + active * (round + 1)) * size,
    active,
  };
}

/**
 * For each window's array B of 2^h buckets writes h + 1 rows, from `firstRow` on: Σ B[k], then for j = 0 … h−1 the sum
 * of the B[k] with bit j of k set. So Σ (k+1)·B[k] = row₀ + Σ 2^j·row_{j+1}. Uses the whole arena; logWide ≥ 1, and
 * ≥ 2 where there are narrow windows.
 */
export async function foldBuckets(
  tree: PairTree,
  commands: PacedCommands,
  arrays: BucketArrays,
  to: { rows: Binding; firstRow: number },
): Promise<void> {
  const { wide, logWide } = arrays;
  const base = { points: arrays.buckets, start: 0 };
  const kernel = tree.kernels.planFold;
  let slot = 0;
  for (let round = 0; round < logWide; round++) {
    const { pairs, left, active } = foldRound(arrays, round);
    const [from, into] = [tree.lists[round & 1], tree.lists[(round + 1) & 1]];
    commands.dispatch(
      kernel,
      [from, into, tree.pairs, tree.state],
      groupsFor(left, kernel.workgroupSize),
      [wide, active, round, logWide - round, slot, wide * 2 ** logWide],
    );
    recordAdditions(tree, commands, base, pairs);
    await commands.spend(pairs);
    slot += pairs;
  }
  recordCollectList(
    tree,
    commands,
    base,
    { list: tree.lists[logWide & 1], listStart: 0, count: foldedRows(arrays) },
    to,
  );
}
