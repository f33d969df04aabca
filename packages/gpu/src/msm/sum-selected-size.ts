import { maxArenaPoints } from '../curve/pair-tree.ts';
import type { CurveGroup } from '../curve/point-segments.ts';
import type { DeviceTraits } from '../device/context.ts';

/** Bits compacted at once, references summed at once, and points a piece of the sum is left at. */
export interface Pieces {
  readonly chunkWords: number;
  readonly references: number;
  readonly leftOver: number;
  /** Points of G1, of all arrays together, from which on complete additions sum them; 0: rounds to the end. */
  readonly late: number;
}
const SOFTWARE_PIECES: Pieces = {
  chunkWords: 2 ** 17,
  references: 2 ** 19,
  leftOver: 64,
  late: 0,
};
/**
 * With few points left a round is all latency, so the last rounds of all pieces are done together, and over G1 the very
 * last not at all. Over G2 that saves nothing on an H200 (2.5 ms either way), and on a software adapter it takes seconds
 * to compile.
 */
const HARDWARE_PIECES: Pieces = {
  chunkWords: 2 ** 22,
  references: 2 ** 23,
  leftOver: 2 ** 17,
  late: 2 ** 15,
};

/** Pieces by default. */
export const piecesFor = ({ software }: { readonly software: boolean }): Pieces =>
  software ? SOFTWARE_PIECES : HARDWARE_PIECES;

/** What a sum of selected points holds at once. */
export interface SelectedSize {
  readonly chunkWords: number;
  readonly references: number;
  /** List elements and arena points of the tree. */
  readonly elements: number;
  /** Rows of left-overs that each array has. */
  readonly rowsEach: number;
}

/** Sizes for `arrays` arrays of at most `segments` segments each, of whose points `bits` bits pick some. */
export function selectedSize(
  traits: DeviceTraits,
  group: CurveGroup,
  { arrays, segments, bits }: { arrays: number; segments: number; bits: number },
  pieces: Pieces,
): SelectedSize {
  const references = Math.min(pieces.references, maxArenaPoints(traits, group));
  const words = Math.ceil(bits / 32);
  const chunkWords = Math.min(pieces.chunkWords, words);
  // a piece ends at a segment, at a chunk, or at its full length
  const chunks = Math.ceil(words / chunkWords);
  const mostPieces = segments + chunks + Math.ceil((chunks * chunkWords * 32) / references);
  const rowsEach = pieces.leftOver * mostPieces;
  const elements = Math.max(Math.min(references, bits), arrays * rowsEach);
  return { chunkWords, references, elements, rowsEach };
}
