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
import { type Submitted, submitted } from '../device/submitted.ts';
import type { Selection } from './sum-selected-density.ts';
import {
  type CompactedChunk,
  openSelectedLists,
  type SelectedChunk,
  type SelectedLists,
} from './sum-selected-list.ts';
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
): Promise<Submitted<AffineOf<G>[][]>> {
  requirePoints(arrays);
  const mostBits = bitSpan(arrays);
  if (arrays.length * planes.length === 0 || mostBits <= 0) {
    return submitted(Promise.resolve(planes.map(() => arrays.map(() => null as AffineOf<G>))));
  }
  const work = await openSelectedWork(context, arrays, planes, mostBits, pieces, run.form);
  try {
    const commands = openPacedCommands(context, run);
    await sumChunks(work, commands);
    await sumLeftOvers(work, commands);
    await commands.send();
    return submitted(
      readSums(work).then((all) =>
        planes.map((_, k) => all.slice(k * arrays.length, (k + 1) * arrays.length)),
      ),
    );
  } finally {
    work.close();
  }
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

/** One sum on its way: `used` rows of what its ranges left, from row `firstRow` of all left-overs on. */
interface SelectedSum extends SelectedBases {
  readonly plane: GPUBuffer;
  readonly firstRow: number;
  used: number;
}

interface SelectedWork<G extends CurveGroup = CurveGroup> {
  readonly context: GpuContext;
  readonly tree: PairTree<G>;
  readonly pieces: Pieces;
  readonly lists: SelectedLists;
  /** By plane, then by array. */
  readonly sums: readonly (readonly SelectedSum[])[];
  /** Rows of left-overs that each sum has. */
  readonly rowsEach: number;
  readonly leftOver: PointSegments<G>;
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
  arrays: readonly SelectedBases<G>[],
  planes: readonly GPUBuffer[],
  mostBits: number,
  pieces: Pieces,
  form: PairForm | undefined,
): Promise<SelectedWork<G>> {
  const { group } = arrays[0].points;
  const segments = Math.max(...arrays.map(({ points }) => points.segments.length));
  const points = Math.max(...arrays.map(({ points: { count } }) => count));
  const count = arrays.length * planes.length;
  const size = selectedSize(
    context.traits,
    group,
    { sums: count, points, segments, bits: mostBits },
    pieces,
  );
  const { elements, rowsEach } = size;
  const tree = await openPairTree(
    context,
    group,
    { elements, arenaPoints: elements, groups: 1 },
    form,
  );
  const bounds = arrays.length * (segments + 1);
  const lists = await openSelectedLists(context, tree, size, bounds);
  const rows = (length: number, label: string): PointSegments<G> =>
    allocatePoints(context, group, length, label, { kind: 'scratch', segmentPoints: length });
  const leftOver = rows(count * rowsEach, 'partial sums');
  const target = group === 'g1' ? Math.max(1, Math.floor(pieces.late / count)) : 1;
  const late = rows(count * target, 'last points');
  const complete =
    target === 1 ? undefined : await openCompleteSums(context, { arrays: count, count: target });
  return {
    context,
    tree,
    pieces: { ...pieces, ...size },
    lists,
    sums: planes.map((plane, k) =>
      arrays.map((array, i) => {
        const firstRow = (k * arrays.length + i) * rowsEach;
        return { ...array, plane, firstRow, used: 0 };
      }),
    ),
    rowsEach,
    leftOver,
    target,
    late,
    complete,
    close: () => {
      releaseSegments(context, leftOver);
      releaseSegments(context, late);
      complete?.close();
      lists.close();
      tree.close();
    },
  };
}

/** A chunk of a plane, and the sums that its bits pick points for. */
interface SumsOfChunk {
  readonly chunk: SelectedChunk;
  readonly sums: readonly SelectedSum[];
}

function* chunksOf(
  sums: readonly SelectedSum[],
  { chunkWords }: Pick<Pieces, 'chunkWords'>,
): Generator<SumsOfChunk> {
  for (let i = 0; i < sums.length; ) {
    const { plane, selection } = sums[i];
    const others = sums.slice(i).findIndex((sum) => sum.selection !== selection);
    const together = sums.slice(i, others < 0 ? undefined : i + others);
    const bits = Math.max(...together.map(bitsOf));
    const end = Math.ceil(bits / 32);
    for (let firstWord = firstWordOf(together); firstWord < end; firstWord += chunkWords) {
      const words = Math.min(chunkWords, end - firstWord);
      yield { chunk: { plane, selection, bits, firstWord, words }, sums: together };
    }
    i += together.length;
  }
}

/** Sums every chunk down to a few points each, which are kept. The next chunk is compacted before one is summed. */
async function sumChunks(work: SelectedWork, commands: PacedCommands): Promise<void> {
  const chunks = work.sums.flatMap((sums) => [...chunksOf(sums, work.pieces)]);
  const compact = async (i: number): Promise<CompactedChunk | undefined> => {
    if (i >= chunks.length) return undefined;
    const { chunk, sums } = chunks[i];
    const cuts = sums.map(({ points, piece }) => ({
      logSegment: Math.log2(points.segmentPoints),
      firstSegment: (piece?.firstPoint ?? 0) / points.segmentPoints,
      segments: points.segments.length,
    }));
    return work.lists.compact(commands, chunk, cuts);
  };
  let next = await compact(0);
  for (const [i, { sums }] of chunks.entries()) {
    const { list, counts } = next as CompactedChunk;
    next = await compact(i + 1);
    for (const [k, sum] of sums.entries()) {
      const below = (await counts)[k];
      for (let segment = 0; segment < sum.points.segments.length; segment++) {
        const range = { segment, start: below[segment], end: below[segment + 1] };
        await sumRange(work, commands, list, sum, range);
      }
    }
  }
}

async function sumRange(
  { tree, pieces, leftOver }: SelectedWork,
  commands: PacedCommands,
  list: GPUBuffer,
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

/** Sums what the ranges left, for all sums at once. */
async function sumLeftOvers(
  { tree, sums, rowsEach, leftOver, target, late, complete }: SelectedWork,
  commands: PacedCommands,
): Promise<void> {
  const all = sums.flat();
  const arrays = all.length;
  const rows = leftOver.segments[0];
  const rowBytes = POINT_BYTES[leftOver.group];
  // infinity makes up for what an array has less than the others; two points, so that there is something to add
  const size = Math.max(2, ...all.map(({ used }) => used));
  for (const { firstRow, used } of all) {
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
