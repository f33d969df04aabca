import type { PositionalReader } from '@cuzk/core/groth16/params-file';
import type { ParamsSection } from '@cuzk/core/groth16/params-layout';
import type { GpuContext } from '../device/context.ts';
import type { CurveRun } from './curve-commands.ts';
import { requireFinitePoints, sectionBytes } from './load-query-points.ts';
import { openPointDecoder, type PointDecoder } from './point-decode.ts';
import { type CurveGroup, POINT_BYTES, type PointSegments } from './point-segments.ts';

/** A vector of an SRS that comes to the device a piece at a time, as often as it is asked for. */
export interface PointStream<G extends CurveGroup = CurveGroup> {
  readonly group: G;
  readonly count: number;
  /** Points of every piece but the last; a power of two. */
  readonly piecePoints: number;
  /** The same vector in pieces of another length. */
  inPieces(piecePoints: number): PointStream<G>;
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

interface ComingPiece<G extends CurveGroup> {
  readonly piece: StreamedPiece<G>;
  readonly submitted: Promise<void>;
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

  /** Settles when all of the piece has been handed over; what it settles to, when all is submitted. */
  const loadPiece = async (
    decoder: PointDecoder,
    buffers: readonly GPUBuffer[],
    index: number,
  ): Promise<ComingPiece<G>> => {
    const firstPoint = index * piecePoints;
    const length = Math.min(piecePoints, count - firstPoint);
    const buffer = buffers[index % PIECES];
    const points = { group, count: length, segmentPoints: piecePoints, segments: [buffer] };
    for (let at = 0; at < length; at += decoder.chunkPoints) {
      const chunk = Math.min(decoder.chunkPoints, length - at);
      await decoder.decode(firstPoint + at, chunk, (target) => read(target, firstPoint + at), {
        buffer,
        offset: at * POINT_BYTES[group],
      });
    }
    const submitted = decoder.submitted();
    // its error comes when the piece is asked for
    submitted.catch(() => {});
    return { piece: { firstPoint, points }, submitted };
  };

  return {
    group,
    count,
    piecePoints,
    inPieces: (length) => streamSection(context, group, section, reader, length),
    pieces: async function* (run, { first = 0, end = pieceCount } = {}) {
      // before anything is awaited, so that memory is taken in a known order
      const bytes = Math.min(piecePoints, count) * POINT_BYTES[group];
      const buffers = Array.from({ length: PIECES }, (_, i) =>
        context.buffers.take('srs', bytes, `piece ${i}`),
      );
      let decoder: PointDecoder | undefined;
      let coming: Promise<unknown> = Promise.resolve();
      try {
        const opened = await openPointDecoder(context, group, run);
        decoder = opened;
        const load = (index: number): Promise<ComingPiece<G>> | undefined => {
          const next = index < end ? loadPiece(opened, buffers, index) : undefined;
          // its error comes when the piece is asked for
          coming = Promise.allSettled([next]);
          return next;
        };
        let next = load(first);
        for (let index = first + 1; next !== undefined; index++) {
          const { piece, submitted } = await next;
          // the one before is not used any more; the threads that read go on without a pause
          next = load(index);
          await submitted;
          yield piece;
        }
        requireFinitePoints(section, await opened.report());
      } finally {
        await coming;
        await decoder?.close();
        for (const buffer of buffers) context.buffers.give(buffer);
      }
    },
  };
}
