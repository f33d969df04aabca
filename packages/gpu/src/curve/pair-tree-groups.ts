import { type Binding, groupsFor, readBuffer } from '../device/commands.ts';
import type { PacedCommands } from './curve-commands.ts';
import { type BasePoints, type PairTree, recordAdditions } from './pair-tree.ts';
import { groupsPerBlock, scanWorkgroups } from './pair-tree-kernels.ts';

/** Groups of any sizes whose list lies in order of group in `list`, as recordGroupOffsets left them. */
export interface RaggedGroups {
  readonly list: GPUBuffer;
  /** (offset, elements) per group. */
  readonly table: GPUBuffer;
  readonly groups: number;
  /** No more elements than these in all groups. */
  readonly elements: number;
  /** Rounds recorded before it is known how many are needed; more than that cost time, not correctness. */
  readonly likelyRounds: number;
  /** Elements of the largest group: readLargestGroup. */
  readonly largest: Promise<number>;
}

/** Rounds that leave one element of a group of `largest`. */
const roundsFor = (largest: number): number => (largest < 2 ? 0 : 32 - Math.clz32(largest - 1));

/** Word of the tree's state (kernels/curve/pair-reference.wgsl). */
const STATE_LARGEST = 5;

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

/**
 * Reads the size of the largest group as recordGroupOffsets left it. Send that first; the tree may be used meanwhile.
 */
export function readLargestGroup(tree: PairTree): Promise<number> {
  const largest = readBuffer(tree.context, tree.state, 4 * STATE_LARGEST, 4).then(
    (bytes) => new Uint32Array(bytes)[0],
  );
  // whoever needs the figure sees the error; a run that stops before that does not
  largest.catch(() => {});
  return largest;
}

/**
 * Sums every group. The number of rounds follows from the largest group; the likely ones are recorded before that is
 * known, so that the device has work while the host reads it. `input.list` and `input.table` keep their contents and
 * are not those of the tree. Returns list and table with at most one element per group, in the tree. Arena slots are
 * used from `firstSlot` on.
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
  let rounds = input.likelyRounds;
  for (let round = 0; ; round++) {
    if (round === input.likelyRounds) {
      if (round > 0) await commands.send();
      rounds = roundsFor(await input.largest);
    }
    if (round >= rounds) break;
    const pairs = Math.max(1, bound >> 1);
    const next = round & 1;
    const [listOut, tableOut] = [tree.lists[next], tree.groupTables[next]];
    if (round === 0 || tree.form.scan === 'shared') {
      commands.dispatch(kernels.halveBlocks, [table, blockSums], workgroups, [groups, 0]);
    }
    commands.dispatch(kernels.blockOffsets, [blockSums, state], 1, [
      blocks,
      round === 0 ? 1 : 0,
      firstSlot,
    ]);
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
  const kernel = tree.kernels.collect;
  commands.dispatch(
    kernel,
    [from.list, from.table, base.points, tree.arenaX, tree.arenaY, to.rows],
    groupsFor(from.groups, kernel.workgroupSize),
    [from.groups, 0, to.firstRow, tree.size.arenaPoints, base.start, 1],
  );
}
