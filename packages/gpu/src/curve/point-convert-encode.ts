import { groupsFor } from '../device/commands.ts';
import type { GpuContext } from '../device/context.ts';
import { createReadBack } from '../device/read-back.ts';
import { type CurveRun, openPacedCommands } from './curve-commands.ts';
import { FP_BYTES } from './pair-round.ts';
import {
  type CurveGroup,
  forEachPiece,
  POINT_BYTES,
  type PointSegments,
} from './point-segments.ts';

const WORKGROUP = 64;
/** Bytes encoded and read back at once. */
const CHUNK_BYTES = { software: 2 ** 23, hardware: 2 ** 25 };
/** Chunks on their way: while one is taken the device and the bus work on others. */
const IN_FLIGHT = 3;

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
  });
  const chunkBytes = CHUNK_BYTES[context.traits.software ? 'software' : 'hardware'];
  const chunkPoints = Math.floor(chunkBytes / pointBytes);
  const buffers = Array.from({ length: IN_FLIGHT }, (_, i) =>
    context.buffers.take('staging', chunkBytes, `encoded points ${i}`),
  );
  // kept for all chunks: a large GPU takes 8 ms to make one
  const mapped = buffers.map(() => createReadBack(context.device, chunkBytes));
  const commands = openPacedCommands(context, run);
  const read = async (piece: Piece, slot: number): Promise<Uint8Array> => {
    const { segment, start, length } = piece;
    const [encoded, staging] = [buffers[slot], mapped[slot]];
    const params = [length, start, pointBytes / FP_BYTES];
    const bindings = [points.segments[segment], encoded];
    commands.dispatch(kernel, bindings, groupsFor(length, WORKGROUP), params);
    commands.copy(encoded, 0, staging, 0, length * pointBytes);
    await commands.send();
    await staging.mapAsync(GPUMapMode.READ);
    const bytes = new Uint8Array(staging.getMappedRange().slice(0, length * pointBytes));
    staging.unmap();
    return bytes;
  };
  const coming: Promise<Uint8Array>[] = [];
  try {
    const pieces: Piece[] = [];
    forEachPiece(first, count, points.segmentPoints, (segment, start, length) => {
      for (let at = 0; at < length; at += chunkPoints)
        pieces.push({ segment, start: start + at, length: Math.min(chunkPoints, length - at) });
    });
    for (const [i, piece] of pieces.entries()) {
      if (coming.length === IN_FLIGHT) yield await (coming.shift() as Promise<Uint8Array>);
      const next = read(piece, i % IN_FLIGHT);
      // its error comes when it is taken
      next.catch(() => {});
      coming.push(next);
    }
    for (const next of coming) yield await next;
  } finally {
    await Promise.allSettled(coming);
    for (const buffer of buffers) context.buffers.give(buffer);
    for (const buffer of mapped) buffer.destroy();
  }
}

interface Piece {
  readonly segment: number;
  readonly start: number;
  readonly length: number;
}
