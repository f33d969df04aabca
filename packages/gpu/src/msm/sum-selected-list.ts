import type { PacedCommands } from '../curve/curve-commands.ts';
import type { PairTree } from '../curve/pair-tree.ts';
import { groupsFor, readBuffer } from '../device/commands.ts';
import type { GpuContext } from '../device/context.ts';
import { type Kernel, u32Const } from '../device/kernel.ts';
import type { Selection } from './sum-selected-density.ts';
import type { SelectedSize } from './sum-selected-size.ts';

const WORDS_PER_THREAD = 8;
const BOUNDS_WORKGROUP = 64;

/** Bits of a plane that are compacted at once. */
export interface SelectedChunk {
  readonly plane: GPUBuffer;
  readonly selection: Selection | undefined;
  /** Bits from this number on pick nothing. */
  readonly bits: number;
  readonly firstWord: number;
  readonly words: number;
}

/** Where to count: at `segments` + 1 multiples of 2^logSegment, from number `firstSegment` on. */
export interface SelectedCut {
  readonly logSegment: number;
  readonly firstSegment: number;
  readonly segments: number;
}

/**
 * Kernels and buffers that turn bits into lists of references. There are two lists, so that one chunk is compacted, and
 * the host hears of its counts, while the device sums the one before.
 */
export interface SelectedLists {
  /** Records the compaction of a chunk. Its list, ascending, is good until the next but one. */
  compact(commands: PacedCommands, chunk: SelectedChunk): GPUBuffer;
  /** Records counting in the list that was compacted last. No more bounds between two reads than it was opened for. */
  count(commands: PacedCommands, list: GPUBuffer, cuts: readonly SelectedCut[]): void;
  /**
   * What was counted since the last read, once it is submitted: for each call of `count`, per cut, how many references
   * lie below each multiple.
   */
  read(): Promise<Uint32Array[][]>;
  close(): void;
}

const LISTS = 2;
/** Bytes of the lists, small buffers left out. */
export const selectedListBytes = ({ listLength }: Pick<SelectedSize, 'listLength'>): number =>
  LISTS * listLength * 4;

/** For chunks of at most `chunkWords` words and `listLength` references, and counts at `bounds` multiples. */
export async function openSelectedLists(
  context: GpuContext,
  tree: PairTree,
  { chunkWords, listLength }: Pick<SelectedSize, 'chunkWords' | 'listLength'>,
  bounds: number,
): Promise<SelectedLists> {
  const workgroupSize = tree.form.scanWorkgroup;
  const compacting = (file: string, bindings: string): Promise<Kernel> =>
    context.kernels.get({
      file,
      bindings,
      workgroupSize,
      constants: { WORDS_PER_THREAD: u32Const(WORDS_PER_THREAD) },
    });
  const [blockSums, references, boundsKernel] = await Promise.all([
    compacting('msm/select-block-sums.wgsl', 'rrwu'),
    compacting('msm/select-references.wgsl', 'rrrrwu'),
    context.kernels.get({
      file: 'msm/select-bounds.wgsl',
      bindings: 'rrwu',
      workgroupSize: BOUNDS_WORKGROUP,
    }),
  ]);
  const blocksFor = (words: number): number => groupsFor(words, workgroupSize * WORDS_PER_THREAD);
  const take = (bytes: number, label: string): GPUBuffer =>
    context.buffers.take('scratch', bytes, label);
  const sums = take(blocksFor(chunkWords) * 8, 'selection blocks');
  const lists = Array.from({ length: LISTS }, () => take(listLength * 4, 'selected references'));
  const below = take(bounds * 4, 'selection bounds');
  let turn = 0;
  let counted: (readonly SelectedCut[])[] = [];
  let used = 0;
  const compact: SelectedLists['compact'] = (commands, chunk) => {
    const { plane, selection, words } = chunk;
    const list = lists[turn++ % LISTS];
    const density = selection?.density ?? plane;
    const ranks = selection?.ranks ?? plane;
    const blocks = blocksFor(words);
    const selected = selection === undefined ? 0 : 1;
    const params = [chunk.firstWord, words, chunk.bits, selection?.firstBase ?? 0, selected];
    commands.dispatch(blockSums, [plane, density, sums], blocks, params);
    commands.dispatch(tree.kernels.blockOffsets, [sums, tree.state], 1, [blocks, 1, 0]);
    commands.dispatch(references, [plane, density, ranks, sums, list], blocks, params);
    return list;
  };
  const count: SelectedLists['count'] = (commands, list, cuts) => {
    for (const { logSegment, firstSegment, segments } of cuts) {
      commands.dispatch(
        boundsKernel,
        [list, tree.state, below],
        groupsFor(segments + 1, BOUNDS_WORKGROUP),
        [segments + 1, logSegment, used, firstSegment],
      );
      used += segments + 1;
    }
    counted.push(cuts);
  };
  const read: SelectedLists['read'] = async () => {
    const of = counted;
    // the copy is submitted before anything is awaited
    const bytes = readBuffer(context, below, 0, used * 4);
    counted = [];
    used = 0;
    const words = new Uint32Array(await bytes);
    let first = 0;
    return of.map((cuts) =>
      cuts.map(({ segments }) => {
        first += segments + 1;
        return words.subarray(first - segments - 1, first);
      }),
    );
  };
  return {
    compact,
    count,
    read,
    close: () => {
      for (const buffer of [...lists, below, sums]) context.buffers.give(buffer);
    },
  };
}
