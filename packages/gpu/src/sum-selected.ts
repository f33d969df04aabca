import type { GpuContext } from './context.ts';
import { type CurveRun, openPacedCommands, type PacedCommands } from './curve-commands.ts';
import { maxArenaPoints, openPairTree, type PairTree, recordCollectList } from './pair-tree.ts';
import { sumEqualGroups } from './pair-tree-equal.ts';
import type { PairForm } from './pair-tree-kernels.ts';
import {
  type AffineOf,
  allocatePoints,
  type CurveGroup,
  type PointSegments,
  readPoints,
  releaseSegments,
} from './point-segments.ts';
import type { Selection } from './sum-selected-density.ts';
import { openSelectedList, type SelectedList } from './sum-selected-list.ts';

/** Points that bits pick: bit i picks point i, or the one `selection` says. Bits whose point is missing pick nothing. */
export interface SelectedBases<G extends CurveGroup = CurveGroup> {
  readonly points: PointSegments<G>;
  readonly selection?: Selection;
}

/** Bits compacted at once, references summed at once, and points a piece of the sum is left at. */
interface Pieces {
  readonly chunkWords: number;
  readonly references: number;
  readonly leftOver: number;
}
const SOFTWARE_PIECES: Pieces = { chunkWords: 2 ** 17, references: 2 ** 19, leftOver: 64 };
/** With few points left a round is all latency, so the last rounds of all pieces are done together. */
const HARDWARE_PIECES: Pieces = { chunkWords: 2 ** 22, references: 2 ** 24, leftOver: 2 ** 17 };

/**
 * For each array of bases the sum of the points that the set bits of `plane` pick. All arrays have one selection and
 * group, and the bits are compacted once for all of them. The plane has `selection.bits` bits, or one per point of the
 * first array. Throws RangeError on arrays that differ, CuzkError CANCELLED.
 */
export async function sumSelected<G extends CurveGroup>(
  context: GpuContext,
  arrays: readonly SelectedBases<G>[],
  plane: GPUBuffer,
  run: CurveRun,
  pieces: Pieces = context.traits.software ? SOFTWARE_PIECES : HARDWARE_PIECES,
): Promise<AffineOf<G>[]> {
  const [firstArray] = arrays;
  if (firstArray === undefined) return [];
  const { selection } = firstArray;
  const { group } = firstArray.points;
  const bits = selection?.bits ?? firstArray.points.count;
  for (const { points, selection: other } of arrays) {
    if (points.group !== group || other !== selection) {
      throw new RangeError('sumSelected: expected arrays of one group and one selection');
    }
    if (points.count < (selection?.endBase ?? bits)) {
      throw new RangeError(
        `sumSelected: expected ${selection?.endBase ?? bits} points or more, got ${points.count}`,
      );
    }
  }
  if (bits === 0) return arrays.map(() => null as AffineOf<G>);
  const work = await openSelectedWork(context, arrays, bits, pieces, run.form);
  try {
    const commands = openPacedCommands(context, run);
    await sumPieces(work, commands, plane);
    for (const [i, sum] of work.sums.entries()) await sumLeftOvers(work, commands, sum, i);
    await commands.send();
    return await readPoints(context, work.results, 0, arrays.length);
  } finally {
    work.close();
  }
}

interface SelectedWork<G extends CurveGroup = CurveGroup> {
  readonly context: GpuContext;
  readonly tree: PairTree<G>;
  readonly selected: SelectedList;
  readonly pieces: Pieces;
  readonly bits: number;
  readonly sums: readonly {
    readonly bases: PointSegments<G>;
    leftOver: PointSegments<G>;
    used: number;
  }[];
  readonly results: PointSegments<G>;
  close(): void;
}

async function openSelectedWork<G extends CurveGroup>(
  context: GpuContext,
  arrays: readonly SelectedBases<G>[],
  bits: number,
  pieces: Pieces,
  form: PairForm | undefined,
): Promise<SelectedWork<G>> {
  const { group } = arrays[0].points;
  const references = Math.min(pieces.references, maxArenaPoints(context.traits, group));
  const words = Math.ceil(bits / 32);
  const chunkWords = Math.min(pieces.chunkWords, words);
  // a piece ends at a segment, at a chunk, or at its full length
  const chunks = Math.ceil(words / chunkWords);
  const leftOverOf = (points: PointSegments): number =>
    pieces.leftOver *
    (points.segments.length + chunks + Math.ceil((chunks * chunkWords * 32) / references));
  const mostLeftOver = Math.max(...arrays.map(({ points }) => leftOverOf(points)));
  const elements = Math.max(Math.min(references, bits), mostLeftOver);
  const tree = await openPairTree(
    context,
    group,
    { elements, arenaPoints: elements, groups: 1 },
    form,
  );
  const bounds = arrays.reduce((sum, { points }) => sum + points.segments.length + 1, 0);
  const selected = await openSelectedList(context, tree, arrays[0].selection, chunkWords, bounds);
  const rows = (count: number, label: string): PointSegments<G> =>
    allocatePoints(context, group, count, label, { kind: 'scratch', segmentPoints: count });
  const sums = arrays.map(({ points }) => ({
    bases: points,
    leftOver: rows(leftOverOf(points), 'partial sums'),
    used: 0,
  }));
  const results = rows(arrays.length, 'selected sums');
  return {
    context,
    tree,
    selected,
    pieces: { ...pieces, references, chunkWords },
    bits,
    sums,
    results,
    close: () => {
      for (const sum of sums) releaseSegments(context, sum.leftOver);
      releaseSegments(context, results);
      selected.close();
      tree.close();
    },
  };
}

/** Sums every piece of the list down to a few points, which are kept. */
async function sumPieces(
  work: SelectedWork,
  commands: PacedCommands,
  plane: GPUBuffer,
): Promise<void> {
  const { pieces, bits } = work;
  const words = Math.ceil(bits / 32);
  const cuts = work.sums.map(({ bases }) => ({
    logSegment: Math.log2(bases.segmentPoints),
    segments: bases.segments.length,
  }));
  for (let firstWord = 0; firstWord < words; firstWord += pieces.chunkWords) {
    const chunk = {
      plane,
      bits,
      firstWord,
      words: Math.min(pieces.chunkWords, words - firstWord),
    };
    const bounds = await work.selected.compact(commands, chunk, cuts);
    for (const [i, sum] of work.sums.entries()) {
      for (let segment = 0; segment < sum.bases.segments.length; segment++) {
        const range = { segment, start: bounds[i][segment], end: bounds[i][segment + 1] };
        await sumRange(work, commands, sum, range);
      }
    }
  }
}

async function sumRange(
  { tree, selected, pieces }: SelectedWork,
  commands: PacedCommands,
  sum: SelectedWork['sums'][number],
  range: { segment: number; start: number; end: number },
): Promise<void> {
  const { bases } = sum;
  const base = {
    points: bases.segments[range.segment],
    start: range.segment * bases.segmentPoints,
  };
  for (let start = range.start; start < range.end; start += pieces.references) {
    const size = Math.min(pieces.references, range.end - start);
    const left = await sumEqualGroups(
      tree,
      commands,
      base,
      { list: selected.list, start, groups: 1, size },
      { target: pieces.leftOver },
    );
    recordCollectList(
      tree,
      commands,
      base,
      { list: left.list, listStart: left.start, count: left.size },
      { rows: sum.leftOver.segments[0], firstRow: sum.used },
    );
    sum.used += left.size;
  }
}

/** Sums what the pieces left into row `result` of the results. */
async function sumLeftOvers(
  { context, tree, results }: SelectedWork,
  commands: PacedCommands,
  sum: SelectedWork['sums'][number],
  result: number,
): Promise<void> {
  const rows = results.segments[0];
  // nothing was picked: the sum is infinity, for which the first left-over row stands
  const count = Math.max(sum.used, 1);
  if (sum.used === 0) commands.clear(sum.leftOver.segments[0], 0);
  // written at once, so after everything recorded so far
  await commands.send();
  const list = tree.lists[0];
  context.device.queue.writeBuffer(
    list,
    0,
    Uint32Array.from({ length: count }, (_, i) => i),
  );
  const base = { points: sum.leftOver.segments[0], start: 0 };
  const left = await sumEqualGroups(tree, commands, base, {
    list,
    start: 0,
    groups: 1,
    size: count,
  });
  recordCollectList(
    tree,
    commands,
    base,
    { list: left.list, listStart: 0, count: 1 },
    { rows, firstRow: result },
  );
}
