import type { PacedCommands } from '../curve/curve-commands.ts';
import type { PairTree } from '../curve/pair-tree.ts';
import { groupsFor, readBuffer } from '../device/commands.ts';
import type { GpuContext } from '../device/context.ts';
import { type Kernel, type KernelSpec, u32Const } from '../device/kernel.ts';
import type { Selection } from './sum-selected-density.ts';

const WORDS_PER_THREAD = 8;
const BOUNDS_WORKGROUP = 64;

/** Kernels and buffers that turn bits into lists of references, a chunk of the plane at a time. */
export interface SelectedList {
  /** References of the chunk at hand, ascending. */
  readonly list: GPUBuffer;
  /**
   * Compacts a chunk of the plane. Returns, per entry of `cuts`, how many references lie below each multiple of
   * 2^logSegment, for `segments` + 1 multiples from number `firstSegment` on.
   */
  compact(
    commands: PacedCommands,
    chunk: { plane: GPUBuffer; bits: number; firstWord: number; words: number },
    cuts: readonly { logSegment: number; firstSegment: number; segments: number }[],
  ): Promise<Uint32Array[]>;
  close(): void;
}

/** `chunkWords` words of the plane are compacted at once, into at most 32 references each. */
export async function openSelectedList(
  context: GpuContext,
  tree: PairTree,
  selection: Selection | undefined,
  chunkWords: number,
  bounds: number,
): Promise<SelectedList> {
  const workgroupSize = tree.form.scanWorkgroup;
  const kernel = (file: string, bindings: string): Promise<Kernel> => {
    const spec: KernelSpec = {
      file,
      bindings,
      workgroupSize,
      constants: {
        WORDS_PER_THREAD: u32Const(WORDS_PER_THREAD),
        SELECTED: { type: 'bool', value: selection === undefined ? 0 : 1 },
      },
    };
    return context.kernels.get(spec);
  };
  const [blockSums, references, boundsKernel] = await Promise.all([
    kernel('msm/select-block-sums.wgsl', 'rrwu'),
    kernel('msm/select-references.wgsl', 'rrrrwu'),
    context.kernels.get({
      file: 'msm/select-bounds.wgsl',
      bindings: 'rrwu',
      workgroupSize: BOUNDS_WORKGROUP,
    }),
  ]);
  const blocksFor = (words: number): number => groupsFor(words, workgroupSize * WORDS_PER_THREAD);
  const sums = context.buffers.take('scratch', blocksFor(chunkWords) * 8, 'selection blocks');
  const list = context.buffers.take('scratch', chunkWords * 32 * 4, 'selected references');
  const cutBuffer = context.buffers.take('scratch', bounds * 4, 'selection bounds');

  const compact: SelectedList['compact'] = async (commands, chunk, cuts) => {
    const { plane } = chunk;
    const density = selection?.density ?? plane;
    const ranks = selection?.ranks ?? plane;
    const blocks = blocksFor(chunk.words);
    const params = [chunk.firstWord, chunk.words, chunk.bits, selection?.firstBase ?? 0];
    commands.dispatch(blockSums, [plane, density, sums], blocks, params);
    commands.dispatch(tree.kernels.blockOffsets, [sums, tree.state], 1, [blocks, 1, 0]);
    commands.dispatch(references, [plane, density, ranks, sums, list], blocks, params);
    let first = 0;
    const firsts = cuts.map(({ logSegment, firstSegment, segments }) => {
      const at = first;
      commands.dispatch(
        boundsKernel,
        [list, tree.state, cutBuffer],
        groupsFor(segments + 1, BOUNDS_WORKGROUP),
        [segments + 1, logSegment, at, firstSegment],
      );
      first += segments + 1;
      return at;
    });
    await commands.send();
    const words = new Uint32Array(await readBuffer(context, cutBuffer, 0, first * 4));
    return cuts.map(({ segments }, i) => words.subarray(firsts[i], firsts[i] + segments + 1));
  };
  return {
    list,
    compact,
    close: () => {
      for (const buffer of [sums, list, cutBuffer]) context.buffers.give(buffer);
    },
  };
}
