import type { GpuContext } from '../device/context.ts';
import { type CurveRun, openPacedCommands } from './curve-commands.ts';
import {
  type OpenPlacement,
  openPlacement,
  type PointPlacement,
  targetCount,
} from './point-convert-place.ts';
import { type DecodingReport, openPointDecoder } from './point-decode.ts';
import {
  allocatePoints,
  type CurveGroup,
  POINT_BYTES,
  type PointSegments,
  releaseSegments,
} from './point-segments.ts';

export interface PointLoadReport<G extends CurveGroup = CurveGroup> extends DecodingReport {
  readonly points: PointSegments<G>;
}

/** Writes the encoded points number `first` … to `target`, as many as fit. */
export type ReadPoints = (target: Uint8Array, first: number) => Promise<void>;

/** Takes the points of a file in order. */
export interface PointLoader<G extends CurveGroup> {
  /** Converts and places the next `count` points, read in chunks. */
  take(count: number, read: ReadPoints): Promise<void>;
  /** After the last points. They are the caller's to release. */
  finish(): Promise<PointLoadReport<G>>;
  /** Gives everything back, the points too unless finish returned them. */
  close(): Promise<void>;
}

/**
 * Opens a loader of `count` encoded points (point-decode.ts) to their places. Throws RangeError on more points than
 * announced or fewer, what `read` throws, CuzkError CANCELLED.
 */
export async function openPointLoader<G extends CurveGroup>(
  context: GpuContext,
  group: G,
  count: number,
  placement: PointPlacement,
  run: CurveRun,
): Promise<PointLoader<G>> {
  const targets = targetCount(placement, count);
  const decoder = await openPointDecoder(context, group, run);
  const points = allocatePoints(context, group, targets, run.phase);
  const place = await openCleared(context, points, placement, run).catch(async (error: unknown) => {
    await decoder.close();
    releaseSegments(context, points);
    throw error;
  });
  const pointBytes = POINT_BYTES[group];
  let taken = 0;
  let finished = false;
  return {
    take: async (number, read) => {
      if (taken + number > count) {
        throw new RangeError(
          `${run.phase}: expected ${count - taken} points of ${pointBytes} bytes at most, got ${number}`,
        );
      }
      for (const end = taken + number; taken < end; ) {
        const first = taken;
        const length = Math.min(decoder.chunkPoints, end - first);
        taken += length;
        await decoder.decode(
          first,
          length,
          (target) => read(target, first),
          (commands, rows) => place.record(commands, rows, first, length),
        );
      }
    },
    finish: async () => {
      if (taken !== count) {
        throw new RangeError(`${run.phase}: expected ${count} points, got ${taken}`);
      }
      const report = await decoder.report();
      finished = true;
      return { points, ...report };
    },
    close: async () => {
      await decoder.close();
      place.close();
      if (!finished) releaseSegments(context, points);
    },
  };
}

/** The places of points; those that the points do not cover hold infinity. */
async function openCleared(
  context: GpuContext,
  points: PointSegments,
  placement: PointPlacement,
  run: CurveRun,
): Promise<OpenPlacement> {
  const place = await openPlacement(context, points, placement);
  if (placement.kind === 'in order') return place;
  try {
    const commands = openPacedCommands(context, run);
    for (const segment of points.segments) commands.clear(segment);
    await commands.send();
    return place;
  } catch (error) {
    place.close();
    throw error;
  }
}
