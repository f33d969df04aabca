import { type Binding, groupsFor, readBuffer } from './commands.ts';
import type { PacedCommands } from './curve-commands.ts';
import { type BasePoints, type PairTree, recordAdditions } from './pair-tree.ts';
import { groupsPerBlock, scanWorkgroups } from './pair-tree-kernels.ts';

/** Groups of any sizes whose list lies in order of group in `list`; counts known from readGroupStats. */
export interface RaggedGroups {
  readonly list: GPUBuffer;
  /** (offset, elements) per group. */
  readonly table: GPUBuffer;
  readonly groups: number;
  readonly elements: number;
  /** Elements of the largest group. */
  readonly largest: number;
}

const blocksOf = (tree: PairTree, groups: number): number =>
  groupsFor(groups, groupsPerBlock(tree.form));

/**
 * Turns element counts (second word of each entry of `table`) into list offsets, in place. With `seeded`, every
 * group gets one more, last element: arena slot g for group g, whose reference is written to `list`.
 */
export function recordGroupOffsets(
  tree: PairTree,
  commands: PacedCommands,
  table: GPUBuffer,
  list: GPUBuffer,
  groups: number,
  seeded: boolean,
): void {
  const { kernels, blockSums, state } = tree;
  const blocks = blocksOf(tree, groups);
  const workgroups = scanWorkgroups(tree.form, blocks);
  const extra = seeded ? 1 : 0;
  commands.dispatch(kernels.countBlocks, [table, blockSums], workgroups, [groups, extra]);
  commands.dispatch(kernels.blockOffsets, [blockSums, state], 1, [blocks, 1, 0]);
  commands.dispatch(kernels.groupOffsets, [table, blockSums, state, list], workgroups, [
    groups,
    extra,
  ]);
}

/** Reads elements and largest group as recordGroupOffsets left them. Flush first. */
export async function readGroupStats(
  tree: PairTree,
): Promise<{ elements: number; largest: number }> {
  const words = new Uint32Array(await readBuffer(tree.context, tree.state, 0, 32));
  return { elements: words[1], largest: words[5] };
}

/**
 * Sums every group. The number of rounds follows from the largest group. `input.list` and `input.table` keep their
 * contents and are not those of the tree. Returns list and table with at most one element per group, in the tree.
 * Arena slots are used from `firstSlot` on.
 */
export async function sumRaggedGroups(
  tree: PairTree,
  commands: PacedCommands,
  base: BasePoints,
  input: RaggedGroups,
  firstSlot: number,
): Promise<{ list: GPUBuffer; table: GPUBuffer }> {
  const { kernels, blockSums, state } = tree;
  const { groups } = input;
  const blocks = blocksOf(tree, groups);
  const workgroups = scanWorkgroups(tree.form, blocks);
  let { list, table } = input;
  let bound = input.elements;
  let next: 0 | 1 = 0;
  for (let largest = input.largest, first = 1; largest > 1; largest -= largest >> 1, first = 0) {
    const pairs = Math.max(1, bound >> 1);
    const [listOut, tableOut] = [tree.lists[next], tree.groupTables[next]];
    commands.dispatch(kernels.halveBlocks, [table, blockSums], workgroups, [groups, 0]);
    commands.dispatch(kernels.blockOffsets, [blockSums, state], 1, [blocks, first, firstSlot]);
    commands.dispatch(
      kernels.planGroups,
      [table, tableOut, blockSums, list, listOut, tree.pairs, state],
      workgroups,
      [groups],
    );
    recordAdditions(tree, commands, base, pairs);
    await commands.spend(pairs);
    // m elements leave (m + 1)/2 each, so at most half of all plus half an element per group
    bound = Math.min(bound, (bound + groups) >> 1);
    [list, table] = [listOut, tableOut];
    next = next === 0 ? 1 : 0;
  }
  return { list, table };
}

/** Records the copy of every group's one point to a row, zeros where a group is empty. */
export function recordCollectGroups(
  tree: PairTree,
  commands: PacedCommands,
  base: BasePoints,
  from: { list: GPUBuffer; table: GPUBuffer; groups: number },
  to: { rows: Binding; firstRow: number },
): void {
  const kernel = tree.kernels.collectGroups;
  commands.dispatch(
    kernel,
    [from.list, from.table, base.points, tree.arena, to.rows],
    groupsFor(from.groups, kernel.workgroupSize),
    [from.groups, 0, to.firstRow, tree.size.arenaPoints, base.start],
  );
}
