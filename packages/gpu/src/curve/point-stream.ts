import type { PositionalReader } from '@cuzk/core/groth16/params-file';
import type { ParamsSection } from '@cuzk/core/groth16/params-layout';
import type { GpuContext } from '../device/context.ts';
import type { CurveRun } from './curve-commands.ts';
import { requireFinitePoints, sectionBytes } from './load-query-points.ts';
import { copyInOrder } from './point-convert-place.ts';
import { openPointDecoder, type PointDecoder } from './point-decode.ts';
import { type CurveGroup, POINT_BYTES, type PointSegments } from './point-segments.ts';

/** A vector of an SRS that comes to the device a piece at a time, as often as it is asked for. */
export interface PointStream<G extends CurveGroup = CurveGroup> {
  readonly group: G;
  readonly count: number;
  /** Points of every piece but the last; a power of two. */
  readonly piecePoints: number;
  /**
   * Pieces number `first` … `end` − 1, by default all, in order; a piece is good until the next one is asked for, and
   * that one is on its way meanwhile. Throws CuzkError PARAMS_MALFORMED, after the last piece at the latest, and
   * CANCELLED.
   */
  pieces(
    run: CurveRun,
    range?: { readonly first?: number; readonly end?: number },
  ): AsyncGenerator<StreamedPiece<G>>;
}

export interface StreamedPiece<G extends CurveGroup = CurveGroup> {
  /** Number of its first point in the vector. */
  readonly firstPoint: number;
  /** One segment. */
  readonly points: PointSegments<G>;
}

/** Device memory of a stream: two pieces, one in use and one on its way. */
const PIECES = 2;
export const streamBytes = (group: CurveGroup, piecePoints: number): number =>
  PIECES * piecePoints * POINT_BYTES[group];

/** A section of a parameter file as a stream. Points are converted and checked on the device whenever they pass. */
export function streamSection<G extends CurveGroup>(
  context: GpuContext,
  group: G,
  section: ParamsSection,
  reader: PositionalReader,
  piecePoints: number,
): PointStream<G> {
  const { count } = section;
  const pieceCount = Math.ceil(count / piecePoints);
  const read = sectionBytes(reader, section, () => {});

  const loadPiece = async (
    decoder: PointDecoder,
    buffers: readonly GPUBuffer[],
    index: number,
  ): Promise<StreamedPiece<G>> => {
    const firstPoint = index * piecePoints;
    const length = Math.min(piecePoints, count - firstPoint);
    const segments = [buffers[index % PIECES]];
    const points = { group, count: length, segmentPoints: piecePoints, segments };
    for (let at = 0; at < length; at += decoder.chunkPoints) {
      const chunk = Math.min(decoder.chunkPoints, length - at);
      await decoder.decode(
        firstPoint + at,
        chunk,
        (target) => read(target, firstPoint + at),
        (commands, rows) => copyInOrder(commands, points, rows, at, chunk),
      );
    }
    await decoder.submitted();
    return { firstPoint, points };
  };

  return {
    group,
    count,
    piecePoints,
    pieces: async function* (run, { first = 0, end = pieceCount } = {}) {
      const decoder = await openPointDecoder(context, group, run);
      const bytes = Math.min(piecePoints, count) * POINT_BYTES[group];
      const buffers = Array.from({ length: PIECES }, (_, i) =>
        context.buffers.take('srs', bytes, `piece ${i}`),
      );
      let coming: Promise<unknown> = Promise.resolve();
      try {
        let next = first < end ? loadPiece(decoder, buffers, first) : undefined;
        for (let index = first + 1; next !== undefined; index++) {
          const piece = await next;
          next = index < end ? loadPiece(decoder, buffers, index) : undefined;
          // its error comes when the piece is asked for
          coming = Promise.allSettled([next]);
          yield piece;
        }
        requireFinitePoints(section, await decoder.report());
      } finally {
        await coming;
        await decoder.close();
        for (const buffer of buffers) context.buffers.give(buffer);
      }
    },
  };
}
