import { type CompleteSums, openCompleteSums } from '../curve/complete-sums.ts';
import { type CurveRun, openPacedCommands, type PacedCommands } from '../curve/curve-commands.ts';
import { openPairTree, type PairTree, recordCollectList } from '../curve/pair-tree.ts';
import { sumEqualGroups } from '../curve/pair-tree-equal.ts';
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
import type { GpuContext } from '../device/context.ts';
import type { Selection } from './sum-selected-density.ts';
import { openSelectedList, type SelectedList } from './sum-selected-list.ts';
import { type Pieces, piecesFor, selectedSize } from './sum-selected-size.ts';

/** Points that bits pick: bit i picks point i, or the one `selection` says. Bits whose point is missing pick nothing. */
export interface SelectedBases<G extends CurveGroup = CurveGroup> {
  readonly points: PointSegments<G>;
  readonly selection?: Selection;
  /** Where `points` are a piece of the array; bits that pick other points pick nothing. */
  readonly piece?: ArrayPiece;
}

/** A piece of an array of bases. */
export interface ArrayPiece {
  /** Number in the array of the piece's first point, a multiple of its segment length. */
  readonly firstPoint: number;
  /** Bits that may pick points of the piece. */
  readonly firstBit: number;
  readonly endBit: number;
}

/**
 * For each array of bases the sum of the points that the set bits of `plane` pick. Arrays are of one group; bits are
 * compacted once for arrays that share a selection and follow one another. The plane has `selection.bits` bits, or one
 * per point of the array. Throws RangeError on arrays that are too short, CuzkError CANCELLED.
 */
export async function sumSelected<G extends CurveGroup>(
  context: GpuContext,
  arrays: readonly SelectedBases<G>[],
  plane: GPUBuffer,
  run: CurveRun,
  pieces: Pieces = piecesFor(context.traits),
): Promise<AffineOf<G>[]> {
  requirePoints(arrays);
  const mostBits = bitSpan(arrays);
  if (arrays.length === 0 || mostBits <= 0) return arrays.map(() => null as AffineOf<G>);
  const work = await openSelectedWork(context, arrays, mostBits, pieces, run.form);
  try {
    const commands = openPacedCommands(context, run);
    for (let i = 0; i < arrays.length; ) {
      const { selection } = arrays[i];
      const shared = work.sums.slice(i).findIndex((sum) => sum.selection !== selection);
      const sums = work.sums.slice(i, shared < 0 ? undefined : i + shared);
      await sumPieces(work, commands, plane, sums);
      i += sums.length;
    }
    await sumLeftOvers(work, commands);
    await commands.send();
    const { complete, late } = work;
    if (complete === undefined) return await readPoints(context, late, 0, arrays.length);
    return (await complete.read(arrays.length)) as AffineOf<G>[];
  } finally {
    work.close();
  }
}

const bitsOf = ({ points, selection, piece }: SelectedBases): number =>
  piece?.endBit ?? selection?.bits ?? points.count;

const firstWordOf = (arrays: readonly SelectedBases[]): number =>
  Math.floor(Math.min(...arrays.map(({ piece }) => piece?.firstBit ?? 0)) / 32);

/** Bits from the first word that may pick something on. */
const bitSpan = (arrays: readonly SelectedBases[]): number =>
  Math.max(...arrays.map(bitsOf)) - 32 * firstWordOf(arrays);

function requirePoints(arrays: readonly SelectedBases[]): void {
  for (const { points, selection, piece } of arrays) {
    if (points.group !== arrays[0].points.group) {
      throw new RangeError('sumSelected: expected arrays of one group');
    }
    if (piece !== undefined && piece.firstPoint % points.segmentPoints !== 0) {
      throw new RangeError(
        `sumSelected: expected a piece from a multiple of ${points.segmentPoints} points on, got ${piece.firstPoint}`,
      );
    }
    if (piece === undefined && selection !== undefined && points.count < selection.endBase) {
      throw new RangeError(
        `sumSelected: expected ${selection.endBase} points or more, got ${points.count}`,
      );
    }
  }
}

/** One array on its way: `used` rows of what its pieces left, from row `firstRow` of all left-overs on. */
interface SelectedSum extends SelectedBases {
  readonly firstRow: number;
  used: number;
}

interface SelectedWork<G extends CurveGroup = CurveGroup> {
  readonly context: GpuContext;
  readonly tree: PairTree<G>;
  readonly pieces: Pieces;
  readonly sums: readonly SelectedSum[];
  /** Rows of left-overs that each array has. */
  readonly rowsEach: number;
  readonly leftOver: PointSegments<G>;
  /** Points of each array that rounds leave. */
  readonly target: number;
  /** Those of all arrays. */
  readonly late: PointSegments<G>;
  /** Sums them where they are more than one each. */
  readonly complete: CompleteSums | undefined;
  close(): void;
}

async function openSelectedWork<G extends CurveGroup>(
  context: GpuContext,
  arrays: readonly SelectedBases<G>[],
  mostBits: number,
  pieces: Pieces,
  form: PairForm | undefined,
): Promise<SelectedWork<G>> {
  const { group } = arrays[0].points;
  const segments = Math.max(...arrays.map(({ points }) => points.segments.length));
  const size = { arrays: arrays.length, segments, bits: mostBits };
  const { chunkWords, references, elements, rowsEach } = selectedSize(
    context.traits,
    group,
    size,
    pieces,
  );
  const tree = await openPairTree(
    context,
    group,
    { elements, arenaPoints: elements, groups: 1 },
    form,
  );
  const rows = (count: number, label: string): PointSegments<G> =>
    allocatePoints(context, group, count, label, { kind: 'scratch', segmentPoints: count });
  const leftOver = rows(arrays.length * rowsEach, 'partial sums');
  const target = group === 'g1' ? Math.max(1, Math.floor(pieces.late / arrays.length)) : 1;
  const late = rows(arrays.length * target, 'last points');
  const complete =
    target === 1
      ? undefined
      : await openCompleteSums(context, { arrays: arrays.length, count: target });
  return {
    context,
    tree,
    pieces: { ...pieces, references, chunkWords },
    sums: arrays.map((array, i) => ({ ...array, firstRow: i * rowsEach, used: 0 })),
    rowsEach,
    leftOver,
    target,
    late,
    complete,
    close: () => {
      releaseSegments(context, leftOver);
      releaseSegments(context, late);
      complete?.close();
      tree.close();
    },
  };
}

/** Sums every piece of the list of arrays with one selection down to a few points each, which are kept. */
async function sumPieces(
  work: SelectedWork,
  commands: PacedCommands,
  plane: GPUBuffer,
  sums: readonly SelectedSum[],
): Promise<void> {
  const { context, tree, pieces } = work;
  const { selection } = sums[0];
  const bits = Math.max(...sums.map(bitsOf));
  const words = Math.ceil(bits / 32);
  const startWord = firstWordOf(sums);
  const cuts = sums.map(({ points, piece }) => ({
    logSegment: Math.log2(points.segmentPoints),
    firstSegment: (piece?.firstPoint ?? 0) / points.segmentPoints,
    segments: points.segments.length,
  }));
  const bounds = cuts.reduce((sum, { segments }) => sum + segments + 1, 0);
  const chunkWords = Math.min(pieces.chunkWords, words - startWord);
  const selected = await openSelectedList(context, tree, selection, chunkWords, bounds);
  try {
    for (let firstWord = startWord; firstWord < words; firstWord += chunkWords) {
      const chunk = { plane, bits, firstWord, words: Math.min(chunkWords, words - firstWord) };
      const counts = await selected.compact(commands, chunk, cuts);
      for (const [i, sum] of sums.entries()) {
        for (let segment = 0; segment < sum.points.segments.length; segment++) {
          const range = { segment, start: counts[i][segment], end: counts[i][segment + 1] };
          await sumRange(work, commands, selected, sum, range);
        }
      }
    }
    // whoever takes the list next writes to it after what is submitted by then, and before what is only recorded
    await commands.send();
  } finally {
    selected.close();
  }
}

async function sumRange(
  { tree, pieces, leftOver }: SelectedWork,
  commands: PacedCommands,
  { list }: SelectedList,
  sum: SelectedSum,
  range: { segment: number; start: number; end: number },
): Promise<void> {
  const { points, piece } = sum;
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

/** Sums what the pieces left, of all arrays at once. */
async function sumLeftOvers(
  { tree, sums, rowsEach, leftOver, target, late, complete }: SelectedWork,
  commands: PacedCommands,
): Promise<void> {
  const arrays = sums.length;
  const rows = leftOver.segments[0];
  const rowBytes = POINT_BYTES[leftOver.group];
  // infinity makes up for what an array has less than the others; two points, so that there is something to add
  const size = Math.max(2, ...sums.map(({ used }) => used));
  for (const { firstRow, used } of sums) {
    commands.clear(rows, (firstRow + used) * rowBytes, (size - used) * rowBytes);
  }
  if (size <= target) {
    await complete?.record(commands, { rows, arrays, count: size, stride: rowsEach });
    return;
  }
  const base = { points: rows, start: 0 };
  const groups = { list: undefined, start: 0, groups: arrays, size, stride: rowsEach };
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
