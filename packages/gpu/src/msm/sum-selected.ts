import { type CompleteSums, openCompleteSums } from '../curve/complete-sums.ts';
import { type CurveRun, openPacedCommands, type PacedCommands } from '../curve/curve-commands.ts';
import { openPairTree, type PairTree, recordCollectList } from '../curve/pair-tree.ts';
import { type EqualGroups, sumEqualGroups } from '../curve/pair-tree-equal.ts';
import type { PairForm } from '../curve/pair-tree-kernels.ts';
import {
  type AffineOf,
  allocatePoints,
  type CurveGroup,
  POINT_BYTES,
  type PointSegments,
  readPoints,
  releaseSegments,
} from '../curve/point-segments.ts';
import { closeIfFails } from '../device/close-if-fails.ts';
import type { GpuContext } from '../device/context.ts';
import { type Submitted, submitted } from '../device/submitted.ts';
import {
  bitSpan,
  chunksOf,
  cutsOf,
  largestSize,
  type PlannedBases,
  requirePoints,
  type SelectedBases,
} from './sum-selected-chunks.ts';
import type { ChunkCounts } from './sum-selected-counts.ts';
import { openSelectedLists, type SelectedLists } from './sum-selected-list.ts';
import { type Pieces, piecesFor, type SelectedSize } from './sum-selected-size.ts';

/**
 * For each plane of bits, for each array of bases, the sum of the points that the plane's set bits pick. Arrays are of
 * one group; bits are compacted once for arrays that share a selection and follow one another. A plane has
 * `selection.bits` bits, or one per point of the array. Throws RangeError on arrays that are too short, CuzkError
 * CANCELLED.
 */
export async function sumSelected<G extends CurveGroup>(
  ...selected: Parameters<typeof submitSelected<G>>
): Promise<AffineOf<G>[][]> {
  const { result } = await submitSelected(...selected);
  return result;
}

/** How sums are submitted without a pause. */
export interface CountedSums {
  /** From countSelected, for the same arrays, planes and pieces: the host then waits for nothing of the device. */
  readonly counts?: ChunkCounts;
  /** Records what the device does first, in the same submit. */
  readonly before?: (commands: PacedCommands) => void;
}

/**
 * As sumSelected, which see, but resolves when the work is submitted: the memory that it took is given back then, and
 * points and planes may be written to by what is submitted later.
 */
export async function submitSelected<G extends CurveGroup>(
  context: GpuContext,
  arrays: readonly SelectedBases<G>[],
  planes: readonly GPUBuffer[],
  run: CurveRun,
  pieces: Pieces = piecesFor(context.traits),
  counted: CountedSums = {},
): Promise<Submitted<AffineOf<G>[][]>> {
  requirePoints(arrays);
  if (arrays.length * planes.length === 0 || bitSpan(arrays) <= 0) {
    return submitted(Promise.resolve(planes.map(() => arrays.map(() => null as AffineOf<G>))));
  }
  const sums = await openSelectedSums(
    context,
    arrays[0].points.group,
    [arrays],
    planes,
    run,
    pieces,
  );
  try {
    await sums.add(arrays, counted);
    return await sums.end();
  } finally {
    sums.close();
  }
}

/** Sums of the points that planes pick of several sets of arrays, which are there one after another. */
export interface SelectedSums<G extends CurveGroup = CurveGroup> {
  /** Adds what is picked of a set. Resolves when that is submitted: its points may be written to by what comes later. */
  add(arrays: readonly SelectedBases<G>[], counted?: CountedSums): Promise<void>;
  /** By plane, then by array. Resolves when all is submitted. */
  end(): Promise<Submitted<AffineOf<G>[][]>>;
  /** Gives the memory back, which what is submitted may still use. */
  close(): void;
}

/**
 * Opens sums for sets of as many arrays each, which need not be there yet, in one group. For planes and arrays as in
 * sumSelected, one at least. `add` and `end` throw CuzkError CANCELLED.
 */
export async function openSelectedSums<G extends CurveGroup>(
  context: GpuContext,
  group: G,
  sets: readonly (readonly PlannedBases[])[],
  planes: readonly GPUBuffer[],
  run: CurveRun,
  pieces: Pieces,
): Promise<SelectedSums<G>> {
  const work = await openSelectedWork(context, group, sets, planes, pieces, run.form);
  return {
    add: async (arrays, { counts, before } = {}) => {
      requirePoints(arrays);
      const commands = openPacedCommands(context, run);
      before?.(commands);
      const picking = bitSpan(arrays) > 0;
      const most = Math.max(...work.sums.flat().map(({ used }) => used));
      if (picking && most + work.pieces.rowsLeft > work.pieces.rowsEach) {
        await foldLeftOvers(work, commands);
      }
      if (picking) await sumChunks(work, arrays, commands, counts);
      await commands.send();
    },
    end: async () => {
      const commands = openPacedCommands(context, run);
      await sumLeftOvers(work, commands);
      await commands.send();
      const each = sets[0].length;
      const result = readSums(work).then((all) =>
        planes.map((_, k) => all.slice(k * each, (k + 1) * each)),
      );
      return submitted(result);
    },
    close: work.close,
  };
}

/** The copy is submitted before this returns. */
const readSums = <G extends CurveGroup>({
  context,
  late,
  complete,
  sums,
}: SelectedWork<G>): Promise<AffineOf<G>[]> =>
  complete === undefined
    ? readPoints(context, late, 0, sums.flat().length)
    : (complete.read(sums.flat().length) as Promise<AffineOf<G>[]>);

/** One sum on its way: `used` rows of what its ranges left, from row `firstRow` of all left-overs on. */
interface SelectedSum {
  readonly plane: GPUBuffer;
  readonly firstRow: number;
  used: number;
}

/** What is added to a sum. */
interface AddedBases extends SelectedBases {
  readonly plane: GPUBuffer;
  readonly sum: SelectedSum;
}

interface SelectedWork<G extends CurveGroup = CurveGroup> {
  readonly context: GpuContext;
  readonly tree: PairTree<G>;
  readonly pieces: Pieces & SelectedSize;
  readonly lists: SelectedLists;
  /** By plane, then by array. */
  readonly sums: readonly (readonly SelectedSum[])[];
  readonly leftOver: PointSegments<G>;
  /** Where they are folded. */
  readonly folded: PointSegments<G>;
  /** Points of each sum that rounds leave. */
  readonly target: number;
  /** Those of all sums. */
  readonly late: PointSegments<G>;
  /** Sums them where they are more than one each. */
  readonly complete: CompleteSums | undefined;
  close(): void;
}

async function openSelectedWork<G extends CurveGroup>(
  context: GpuContext,
  group: G,
  sets: readonly (readonly PlannedBases[])[],
  planes: readonly GPUBuffer[],
  pieces: Pieces,
  form: PairForm | undefined,
): Promise<SelectedWork<G>> {
  const each = sets[0].length;
  const count = each * planes.length;
  const size = largestSize(context.traits, sets, planes.length, pieces);
  const { elements, rowsEach } = size;
  const tree = await openPairTree(
    context,
    group,
    { elements, arenaPoints: elements, groups: 1 },
    form,
  );
  const bounds = Math.max(
    ...sets.map((arrays) => cutsOf(arrays).reduce((sum, { segments }) => sum + segments + 1, 0)),
  );
  const lists = await closeIfFails(openSelectedLists(context, tree, size, bounds), tree);
  const target = group === 'g1' ? Math.max(1, Math.floor(pieces.late / count)) : 1;
  const complete =
    target === 1
      ? undefined
      : await closeIfFails(
          openCompleteSums(context, { arrays: count, count: target }),
          lists,
          tree,
        );
  const rows = (length: number, label: string): PointSegments<G> =>
    allocatePoints(context, group, length, label, { kind: 'scratch', segmentPoints: length });
  const leftOver = rows(count * rowsEach, 'partial sums');
  const folded = rows(pieces.kept > 1 ? count * pieces.leftOver : 0, 'folded sums');
  const late = rows(count * target, 'last points');
  return {
    context,
    tree,
    pieces: { ...pieces, ...size },
    lists,
    sums: planes.map((plane, k) =>
      Array.from({ length: each }, (_, i) => {
        const firstRow = (k * each + i) * rowsEach;
        return { plane, firstRow, used: 0 };
      }),
    ),
    leftOver,
    folded,
    target,
    late,
    complete,
    close: () => {
      releaseSegments(context, leftOver);
      releaseSegments(context, folded);
      releaseSegments(context, late);
      complete?.close();
      lists.close();
      tree.close();
    },
  };
}

interface CompactedChunk {
  /** Of references, ascending. */
  readonly list: GPUBuffer;
  readonly counts: Promise<readonly Uint32Array[]>;
}

/**
 * Sums every chunk down to a few points each, which are kept. Where counts are not known, the next chunk is compacted
 * and counted before one is summed.
 */
async function sumChunks(
  work: SelectedWork,
  arrays: readonly SelectedBases[],
  commands: PacedCommands,
  known: ChunkCounts | undefined,
): Promise<void> {
  const added = work.sums.map((sums) =>
    sums.map((sum, i): AddedBases => ({ ...(arrays[i] as SelectedBases), plane: sum.plane, sum })),
  );
  const chunks = added.flatMap((sums) => [...chunksOf(sums, work.pieces)]);
  const compact = async (i: number): Promise<CompactedChunk | undefined> => {
    if (i >= chunks.length) return undefined;
    const { chunk, sums } = chunks[i];
    const list = work.lists.compact(commands, chunk);
    if (known !== undefined) return { list, counts: Promise.resolve(known[i]) };
    work.lists.count(commands, list, cutsOf(sums));
    await commands.send();
    const counts = work.lists.read().then(([all]) => all);
    // whoever waits for them hears of it
    counts.catch(() => {});
    return { list, counts };
  };
  let next = await compact(0);
  for (const [i, { sums }] of chunks.entries()) {
    const { list, counts } = next as CompactedChunk;
    next = await compact(i + 1);
    for (const [k, each] of sums.entries()) {
      const below = (await counts)[k];
      for (let segment = 0; segment < each.points.segments.length; segment++) {
        const range = { segment, start: below[segment], end: below[segment + 1] };
        await sumRange(work, commands, list, each, range);
      }
    }
  }
}

async function sumRange(
  { tree, pieces, leftOver }: SelectedWork,
  commands: PacedCommands,
  list: GPUBuffer,
  { points, piece, sum }: AddedBases,
  range: { segment: number; start: number; end: number },
): Promise<void> {
  const base = {
    points: points.segments[range.segment],
    start: (piece?.firstPoint ?? 0) + range.segment * points.segmentPoints,
  };
  for (let start = range.start; start < range.end; start += pieces.references) {
    const size = Math.min(pieces.references, range.end - start);
    const left = await sumEqualGroups(
      tree,
      commands,
      base,
      { list, start, groups: 1, size },
      { target: pieces.leftOver },
    );
    recordCollectList(
      tree,
      commands,
      base,
      { list: left.list, listStart: left.start, count: left.size },
      { rows: leftOver.segments[0], firstRow: sum.firstRow + sum.used },
    );
    sum.used += left.size;
  }
}

/**
 * What ranges left as groups of equal size, for all sums at once: infinity makes up for what one has less than the
 * others. Two points at least, so that there is something to add.
 */
function groupLeftOvers(
  { sums, pieces: { rowsEach }, leftOver }: SelectedWork,
  commands: PacedCommands,
): EqualGroups {
  const all = sums.flat();
  const rowBytes = POINT_BYTES[leftOver.group];
  const size = Math.max(2, ...all.map(({ used }) => used));
  for (const { firstRow, used } of all) {
    const missing = (size - used) * rowBytes;
    commands.clear(leftOver.segments[0], (firstRow + used) * rowBytes, missing);
  }
  return { list: undefined, start: 0, groups: all.length, size, stride: rowsEach };
}

/** Makes room: sums what ranges left to as little as one leaves. */
async function foldLeftOvers(work: SelectedWork, commands: PacedCommands): Promise<void> {
  const { tree, pieces, leftOver, folded, sums } = work;
  const rows = leftOver.segments[0];
  const base = { points: rows, start: 0 };
  const groups = groupLeftOvers(work, commands);
  const left = await sumEqualGroups(tree, commands, base, groups, { target: pieces.leftOver });
  const to = folded.segments[0];
  const { list, groups: arrays, size } = left;
  const from = { list, listStart: left.start, count: arrays * size };
  recordCollectList(tree, commands, base, from, { rows: to, firstRow: 0 });
  const rowBytes = POINT_BYTES[folded.group];
  for (const [i, sum] of sums.flat().entries()) {
    commands.copy(to, i * size * rowBytes, rows, sum.firstRow * rowBytes, size * rowBytes);
    sum.used = size;
  }
}

/** Sums what the ranges left, for all sums at once. */
async function sumLeftOvers(work: SelectedWork, commands: PacedCommands): Promise<void> {
  const { tree, pieces, leftOver, target, late, complete } = work;
  const rows = leftOver.segments[0];
  const groups = groupLeftOvers(work, commands);
  const { groups: arrays, size: count } = groups;
  if (count <= target) {
    await complete?.record(commands, { rows, arrays, count, stride: pieces.rowsEach });
    return;
  }
  const base = { points: rows, start: 0 };
  const left = await sumEqualGroups(tree, commands, base, groups, { target });
  const lateRows = late.segments[0];
  recordCollectList(
    tree,
    commands,
    base,
    { list: left.list, listStart: 0, count: arrays * left.size },
    { rows: lateRows, firstRow: 0 },
  );
  await complete?.record(commands, {
    rows: lateRows,
    arrays,
    count: left.size,
    stride: left.size,
  });
}
