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

/** References of a chunk. */
export interface CompactedChunk {
  /** Ascending. */
  readonly list: GPUBuffer;
  /** Per cut, how many references lie below each multiple. */
  readonly counts: Promise<Uint32Array[]>;
}

/**
 * Kernels and buffers that turn bits into lists of references. There are two lists, so that one chunk is compacted, and
 * the host hears of its counts, while the device sums the one before.
 */
export interface SelectedLists {
  /**
   * Compacts a chunk; resolves when that is submitted. Its list is good until the next but one. `cuts` have as many
   * multiples together as there are bounds.
   */
  compact(
    commands: PacedCommands,
    chunk: SelectedChunk,
    cuts: readonly SelectedCut[],
  ): Promise<CompactedChunk>;
  close(): void;
}

const LISTS = 2;
/** Bytes of the lists, small buffers left out. */
export const selectedListBytes = ({ listLength }: Pick<SelectedSize, 'listLength'>): number =>
  LISTS * listLength * 4;

/** For chunks of at most `chunkWords` words and `listLength` references. */
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
  const lists = Array.from({ length: LISTS }, () => ({
    list: take(listLength * 4, 'selected references'),
    cut: take(bounds * 4, 'selection bounds'),
  }));
  let turn = 0;
  const compact: SelectedLists['compact'] = async (commands, chunk, cuts) => {
    const { plane, selection, words } = chunk;
    const { list, cut } = lists[turn++ % LISTS];
    const density = selection?.density ?? plane;
    const ranks = selection?.ranks ?? plane;
    const blocks = blocksFor(words);
    const selected = selection === undefined ? 0 : 1;
    const params = [chunk.firstWord, words, chunk.bits, selection?.firstBase ?? 0, selected];
    commands.dispatch(blockSums, [plane, density, sums], blocks, params);
    commands.dispatch(tree.kernels.blockOffsets, [sums, tree.state], 1, [blocks, 1, 0]);
    commands.dispatch(references, [plane, density, ranks, sums, list], blocks, params);
    let first = 0;
    const firsts = cuts.map(({ logSegment, firstSegment, segments }) => {
      const at = first;
      commands.dispatch(
        boundsKernel,
        [list, tree.state, cut],
        groupsFor(segments + 1, BOUNDS_WORKGROUP),
        [segments + 1, logSegment, at, firstSegment],
      );
      first += segments + 1;
      return at;
    });
    await commands.send();
    const counts = readBuffer(context, cut, 0, first * 4).then((bytes) => {
      const below = new Uint32Array(bytes);
      return cuts.map(({ segments }, i) => below.subarray(firsts[i], firsts[i] + segments + 1));
    });
    // whoever waits for them hears of it
    counts.catch(() => {});
    return { list, counts };
  };
  return {
    compact,
    close: () => {
      for (const { list, cut } of lists) for (const one of [list, cut]) context.buffers.give(one);
      context.buffers.give(sums);
    },
  };
}
