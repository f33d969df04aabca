import type { CurveGroup, PointSegments } from '../curve/point-segments.ts';
import type { DeviceTraits } from '../device/context.ts';
import type { Selection } from './sum-selected-density.ts';
import type { SelectedChunk, SelectedCut } from './sum-selected-list.ts';
import { type Pieces, type SelectedSize, selectedSize } from './sum-selected-size.ts';

/**
 * Points that bits pick: bit i picks point i, or the one `selection` says. Bits whose point is missing pick nothing.
 */
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

/** Bases that need not be there yet. */
export interface PlannedBases extends Omit<SelectedBases, 'points'> {
  readonly points: Omit<PointSegments, 'segments'>;
}

/** Planned bases and the bits that pick their points. */
export interface PlannedSum extends PlannedBases {
  readonly plane: GPUBuffer;
}

/** A chunk of a plane, and the sums that its bits pick points for. */
export interface SumsOfChunk<S extends PlannedSum = PlannedSum> {
  readonly chunk: SelectedChunk;
  readonly sums: readonly S[];
}

const bitsOf = ({ points, selection, piece }: PlannedBases): number =>
  piece?.endBit ?? selection?.bits ?? points.count;

const firstWordOf = (arrays: readonly PlannedBases[]): number =>
  Math.floor(Math.min(...arrays.map(({ piece }) => piece?.firstBit ?? 0)) / 32);

/** Bits from the first word that may pick something on. */
export const bitSpan = (arrays: readonly PlannedBases[]): number =>
  Math.max(...arrays.map(bitsOf)) - 32 * firstWordOf(arrays);

const segmentsOf = ({ count, segmentPoints }: PlannedBases['points']): number =>
  Math.ceil(count / segmentPoints);

/** Throws RangeError where arrays are of several groups or too short, or a piece begins within a segment. */
export function requirePoints(arrays: readonly PlannedBases[]): void {
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

/** The chunks of one plane. Sums that share a selection and follow one another share chunks. */
export function* chunksOf<S extends PlannedSum>(
  sums: readonly S[],
  { chunkWords }: Pick<Pieces, 'chunkWords'>,
): Generator<SumsOfChunk<S>> {
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

/** Where the segments of each sum's points begin and end. */
export const cutsOf = (sums: readonly PlannedBases[]): SelectedCut[] =>
  sums.map(({ points, piece }) => ({
    logSegment: Math.log2(points.segmentPoints),
    firstSegment: (piece?.firstPoint ?? 0) / points.segmentPoints,
    segments: segmentsOf(points),
  }));

/** What sums hold at once to which these sets of arrays are added one after another, for so many planes. */
export function largestSize(
  traits: DeviceTraits,
  sets: readonly (readonly PlannedBases[])[],
  planes: number,
  pieces: Pieces,
): SelectedSize {
  const sizes = sets.map((arrays) => sizeOf(traits, arrays, planes, pieces));
  const most = (of: (size: SelectedSize) => number): number => Math.max(...sizes.map(of));
  return {
    chunkWords: most((size) => size.chunkWords),
    references: most((size) => size.references),
    listLength: most((size) => size.listLength),
    elements: most((size) => size.elements),
    rowsLeft: most((size) => size.rowsLeft),
    rowsEach: most((size) => size.rowsEach),
  };
}

/** What the sums of these arrays hold at once, for so many planes. */
export function sizeOf(
  traits: DeviceTraits,
  arrays: readonly PlannedBases[],
  planes: number,
  pieces: Pieces,
): SelectedSize {
  const counts = {
    sums: arrays.length * planes,
    points: Math.max(...arrays.map(({ points }) => points.count)),
    segments: Math.max(...arrays.map(({ points }) => segmentsOf(points))),
    bits: bitSpan(arrays),
  };
  return selectedSize(traits, arrays[0].points.group, counts, pieces);
}
