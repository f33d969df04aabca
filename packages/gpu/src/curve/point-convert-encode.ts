import { groupsFor, readBuffer } from '../device/commands.ts';
import type { GpuContext } from '../device/context.ts';
import { u32Const } from '../device/kernel.ts';
import { type CurveRun, openPacedCommands } from './curve-commands.ts';
import {
  type CurveGroup,
  forEachPiece,
  POINT_BYTES,
  type PointSegments,
} from './point-segments.ts';

const WORKGROUP = 64;
/** Bytes encoded and read back at once. */
const CHUNK_BYTES = 2 ** 23;

/**
 * Points first … first + count − 1 in bellperson's uncompressed encoding, in pieces of a few MiB, in order: what a
 * parameter file is written from. Throws CuzkError CANCELLED.
 */
export async function* encodePointsOnDevice(
  context: GpuContext,
  points: PointSegments<CurveGroup>,
  first: number,
  count: number,
  run: CurveRun,
): AsyncGenerator<Uint8Array> {
  const pointBytes = POINT_BYTES[points.group];
  const kernel = await context.kernels.get({
    file: 'setup/encode-points.wgsl',
    bindings: 'rwu',
    workgroupSize: WORKGROUP,
    constants: { COORDINATES: u32Const(pointBytes / 48) },
  });
  const chunkPoints = Math.floor(CHUNK_BYTES / pointBytes);
  const encoded = context.buffers.take('staging', CHUNK_BYTES, 'encoded points');
  const commands = openPacedCommands(context, run);
  try {
    const pieces: { segment: number; start: number; length: number }[] = [];
    forEachPiece(first, count, points.segmentPoints, (segment, start, length) => {
      for (let at = 0; at < length; at += chunkPoints)
        pieces.push({ segment, start: start + at, length: Math.min(chunkPoints, length - at) });
    });
    for (const { segment, start, length } of pieces) {
      commands.dispatch(kernel, [points.segments[segment], encoded], groupsFor(length, WORKGROUP), [
        length,
        start,
        1,
      ]);
      await commands.flush();
      yield new Uint8Array(await readBuffer(context, encoded, 0, length * pointBytes));
    }
  } finally {
    context.buffers.give(encoded);
  }
}
