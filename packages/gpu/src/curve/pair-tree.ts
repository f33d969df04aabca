import { type Binding, groupsFor } from '../device/commands.ts';
import type { GpuContext } from '../device/context.ts';
import type { PacedCommands } from './curve-commands.ts';
import type { PairRound } from './pair-round.ts';
import { openBatchesRound } from './pair-round-batches.ts';
import { openSplitRound } from './pair-round-split.ts';
import {
  arenaConstants,
  groupsPerBlock,
  loadPairKernels,
  type PairForm,
  type PairKernels,
  pairFormFor,
} from './pair-tree-kernels.ts';
import { type CurveGroup, POINT_BYTES } from './point-segments.ts';

/** Bit of a reference that takes the opposite point (kernels/curve/pair-reference.wgsl). */
export const NEGATE = 0x10000000;

const STATE_BYTES = 32;
/** What a pair tree must hold at once. */
export interface PairTreeSize {
  /** Elements of a list. */
  readonly elements: number;
  /** Points of the arena: every sum between two resets, and seeds. */
  readonly arenaPoints: number;
  /** Groups of a ragged list. */
  readonly groups: number;
}

/**
 * The engine of every sum of points: lists of references, cut into groups, are summed by rounds of pairwise affine
 * additions with one shared inversion (Montgomery's trick on several levels; research figures in docs/kernels.md).
 * It holds the scratch buffers; the functions in pair-tree-*.ts record work on it.
 */
export interface PairTree<G extends CurveGroup = CurveGroup> {
  readonly context: GpuContext;
  readonly group: G;
  readonly form: PairForm;
  readonly kernels: PairKernels;
  readonly round: PairRound;
  readonly size: PairTreeSize;
  /** Coordinates x and y of the arena's points, in planes. */
  readonly arenaX: GPUBuffer;
  readonly arenaY: GPUBuffer;
  readonly pairs: GPUBuffer;
  readonly alike: GPUBuffer;
  readonly state: GPUBuffer;
  /** A round reads one list (group table) and writes the other. */
  readonly lists: readonly [GPUBuffer, GPUBuffer];
  readonly groupTables: readonly [GPUBuffer, GPUBuffer];
  readonly blockSums: GPUBuffer;
  close(): void;
}

/** Where the base points of a list's references lie. */
export interface BasePoints {
  readonly points: Binding;
  /** Index, as references count, of the first point in the binding. */
  readonly start: number;
}

/** Points an arena can hold: the planes of a coordinate are bound at once. */
export const maxArenaPoints = (
  traits: { maxBindingBytes: number; maxBufferBytes: number },
  group: CurveGroup,
): number =>
  Math.floor((2 * Math.min(traits.maxBindingBytes, traits.maxBufferBytes)) / POINT_BYTES[group]);

/** Takes the buffers and compiles the kernels. `close` gives the buffers back. */
export async function openPairTree<G extends CurveGroup>(
  context: GpuContext,
  group: G,
  size: PairTreeSize,
  form: PairForm = pairFormFor(context.traits),
): Promise<PairTree<G>> {
  const kernels = await loadPairKernels(context, group, form);
  const taken: GPUBuffer[] = [];
  const take = (bytes: number, label: string): GPUBuffer => {
    const buffer = context.buffers.take('scratch', bytes, `pair tree ${label}`);
    taken.push(buffer);
    return buffer;
  };
  const pairs = Math.max(1, Math.floor(size.elements / 2));
  const roundInput = { context, group, pairs, constants: arenaConstants(group, form), take };
  const round =
    form.round.sums === 'batches'
      ? await openBatchesRound(roundInput, form.round)
      : await openSplitRound(roundInput, form.round);
  const blocks = groupsFor(size.groups, groupsPerBlock(form));
  return {
    context,
    group,
    form,
    kernels,
    round,
    size,
    arenaX: take((size.arenaPoints * POINT_BYTES[group]) / 2, 'arena x'),
    arenaY: take((size.arenaPoints * POINT_BYTES[group]) / 2, 'arena y'),
    pairs: take(pairs * 8, 'pairs'),
    alike: take(pairs * 4, 'alike'),
    state: take(STATE_BYTES, 'state'),
    lists: [take(size.elements * 4, 'list a'), take(size.elements * 4, 'list b')],
    groupTables: [take(size.groups * 8, 'groups a'), take(size.groups * 8, 'groups b')],
    blockSums: take(blocks * 8, 'block sums'),
    close: () => {
      for (const buffer of taken) context.buffers.give(buffer);
    },
  };
}

/** Records one round over the pairs that a plan kernel left in `tree.pairs`; at most `pairs` of them. */
export function recordAdditions(
  tree: PairTree,
  commands: PacedCommands,
  base: BasePoints,
  pairs: number,
): void {
  const { alike } = tree.kernels;
  const params = tree.round.params(tree.size.arenaPoints, base.start);
  tree.round.record(commands, { ...tree, points: base.points }, pairs, params);
  commands.dispatch(
    alike,
    [base.points, tree.arenaX, tree.arenaY, tree.pairs, tree.state, tree.alike],
    groupsFor(Math.min(pairs, tree.form.alikeThreads), alike.workgroupSize),
    params,
  );
}

/** Records the copy of `count` points of `list`, from its element `listStart` on, to rows of `rows`. */
export function recordCollectList(
  tree: PairTree,
  commands: PacedCommands,
  base: BasePoints,
  from: { list: GPUBuffer; listStart: number; count: number },
  to: { rows: Binding; firstRow: number },
): void {
  const kernel = tree.kernels.collect;
  commands.dispatch(
    kernel,
    [from.list, from.list, base.points, tree.arenaX, tree.arenaY, to.rows],
    groupsFor(from.count, kernel.workgroupSize),
    [from.count, from.listStart, to.firstRow, tree.size.arenaPoints, base.start, 0],
  );
}
