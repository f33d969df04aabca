import { groupsFor } from '../device/commands.ts';
import type { PacedCommands } from './curve-commands.ts';
import { type BasePoints, type PairTree, recordAdditions } from './pair-tree.ts';

/**
 * `groups` groups of `size` references each, from element `start` of `list` on; without a list the base points
 * themselves.
 */
export interface EqualGroups {
  readonly list: GPUBuffer | undefined;
  readonly start: number;
  readonly groups: number;
  readonly size: number;
  /** From one group to the next, where that is more than their size. */
  readonly stride?: number;
}

/** What is left of groups, always as a list. */
export interface SummedGroups extends EqualGroups {
  readonly list: GPUBuffer;
}

/**
 * Sums groups of equal size until each has at most `target` elements. `list` is not one of the tree's lists, or its
 * first; sums take arena slots from `firstSlot` on. Returns the groups that are left. Throws
 * RangeError where base points have nothing to be added to.
 */
export async function sumEqualGroups(
  tree: PairTree,
  commands: PacedCommands,
  base: BasePoints,
  input: EqualGroups,
  options: { target?: number; firstSlot?: number } = {},
): Promise<SummedGroups> {
  const target = options.target ?? 1;
  const kernel = tree.kernels.planEqualGroups;
  let slot = options.firstSlot ?? 0;
  let current = input;
  let next: 0 | 1 = 1;
  while (current.size > target) {
    const half = current.size >> 1;
    const size = current.size - half;
    const pairs = current.groups * half;
    const output = tree.lists[next];
    commands.dispatch(
      kernel,
      [current.list ?? tree.lists[0], output, tree.pairs, tree.state],
      groupsFor(current.groups * size, kernel.workgroupSize),
      [
        current.groups,
        current.size,
        current.start,
        slot,
        current.stride ?? current.size,
        current.list === undefined ? 1 : 0,
      ],
    );
    recordAdditions(tree, commands, base, pairs);
    await commands.spend(pairs);
    slot += pairs;
    current = { list: output, start: 0, groups: current.groups, size };
    next = next === 0 ? 1 : 0;
  }
  const { list } = current;
  if (list === undefined) throw new RangeError('sumEqualGroups: expected groups to sum');
  return { ...current, list };
}
