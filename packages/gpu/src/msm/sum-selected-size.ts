import { maxArenaPoints } from '../curve/pair-tree.ts';
import type { CurveGroup } from '../curve/point-segments.ts';
import type { DeviceTraits } from '../device/context.ts';

/** Bits compacted at once, references summed at once, and points that a range of them is left at. */
export interface Pieces {
  readonly chunkWords: number;
  readonly references: number;
  readonly leftOver: number;
  /** Points of G1, of all arrays together, from which on complete additions sum them; 0: rounds to the end. */
  readonly late: number;
  /** Arrays that are added to one sum before what they left is summed. */
  readonly kept: number;
}
const SOFTWARE_PIECES: Pieces = {
  chunkWords: 2 ** 17,
  references: 2 ** 19,
  leftOver: 64,
  late: 0,
  kept: 1,
};
/**
 * With few points left a round is all latency, so the last rounds of all pieces are done together, and over G1 the very
 * last not at all. Over G2 that saves nothing on an H200 (2.5 ms either way), and on a software adapter it takes
 * seconds to compile.
 */
const HARDWARE_PIECES: Pieces = {
  chunkWords: 2 ** 21,
  references: 2 ** 23,
  leftOver: 2 ** 17,
  late: 2 ** 15,
  kept: 1,
};

/** Pieces by default. */
export const piecesFor = ({ software }: { readonly software: boolean }): Pieces =>
  software ? SOFTWARE_PIECES : HARDWARE_PIECES;

/** What sums of selected points hold at once. */
export interface SelectedSize {
  readonly chunkWords: number;
  readonly references: number;
  /** References of a chunk at most. */
  readonly listLength: number;
  /** List elements and arena points of the tree. */
  readonly elements: number;
  /** Rows that an array leaves at most. */
  readonly rowsLeft: number;
  /** Rows of left-overs that each sum has. */
  readonly rowsEach: number;
}

/** What is summed: `sums` sums over arrays of at most `points` points in `segments` segments, that `bits` bits pick. */
export interface SelectedCounts {
  readonly sums: number;
  readonly points: number;
  readonly segments: number;
  readonly bits: number;
}

export function selectedSize(
  traits: DeviceTraits,
  group: CurveGroup,
  { sums, points, segments, bits }: SelectedCounts,
  pieces: Pieces,
): SelectedSize {
  // a chunk begins with a word, and so with up to 31 bits that may pick a point before the first
  const most = Math.min(bits, points + 32);
  const references = Math.min(pieces.references, maxArenaPoints(traits, group));
  const words = Math.ceil(bits / 32);
  const chunkWords = Math.min(pieces.chunkWords, words);
  const chunks = Math.ceil(words / chunkWords);
  // a range ends at a segment, at a chunk, or at its full length; the last segment and the last chunk end together
  const ranges = segments + chunks - 1 + Math.floor(most / references);
  const rowsLeft = pieces.leftOver * ranges;
  const rowsEach = pieces.kept * rowsLeft;
  return {
    chunkWords,
    references,
    listLength: Math.min(32 * chunkWords, most),
    elements: Math.max(Math.min(references, most), sums * rowsEach),
    rowsLeft,
    rowsEach,
  };
}
