import { mod } from '@cuzk/core/field/modular';
import { groupsFor, readBuffer } from '../device/commands.ts';
import type { GpuContext } from '../device/context.ts';
import { u32Const } from '../device/kernel.ts';
import { FP_VARIANTS, writeWords } from '../field/field-variants.ts';
import { type CurveRun, openPacedCommands } from './curve-commands.ts';
import { openPlacement, type PointPlacement, targetCount } from './point-convert-place.ts';
import {
  allocatePoints,
  type CurveGroup,
  POINT_BYTES,
  type PointSegments,
} from './point-segments.ts';

export interface PointLoadReport<G extends CurveGroup = CurveGroup> {
  readonly points: PointSegments<G>;
  /** Encodings that are no point of the curve: bad flags, a coordinate ≥ p, off the curve. Loaded as infinity. */
  readonly badPoints: number;
  /** Number of the first of them. */
  readonly firstBadPoint: number | undefined;
  /** Encodings of infinity. */
  readonly infinities: number;
}

/** Takes the points of a file in order, in chunks of any whole number of points. */
export interface PointLoader<G extends CurveGroup> {
  /** Converts and places the next points. `bytes` may be reused once the promise settles. */
  push(bytes: Uint8Array): Promise<void>;
  /** After the last push. The points are the caller's to release. */
  finish(): Promise<PointLoadReport<G>>;
  /** Gives everything back, the points too unless finish returned them. */
  close(): void;
}

const WORKGROUP = 64;
/** Encoded bytes converted at once: small enough for any binding, and for staging memory. */
const MAX_CHUNK_BYTES = 2 ** 26;
const SOFTWARE_CHUNK_BYTES = 2 ** 23;
const REPORT_BYTES = 12;
/** Point additions that one conversion is worth, for pacing. */
const CONVERSION_COST = 2;

/**
 * Opens a loader of `count` points in bellperson's uncompressed encoding (zcash: big-endian canonical coordinates, G2
 * c1 first, infinity flag 0x40). Conversion to the form of the active field variant and the check of the curve
 * equation run on the device. Membership in the subgroup of order r is not checked. Throws RangeError on more points
 * than announced or on bytes that are no whole points, CuzkError CANCELLED.
 */
export async function openPointLoader<G extends CurveGroup>(
  context: GpuContext,
  group: G,
  count: number,
  placement: PointPlacement,
  run: CurveRun,
): Promise<PointLoader<G>> {
  const pointBytes = POINT_BYTES[group];
  const chunkPoints = Math.min(
    Math.floor((context.traits.software ? SOFTWARE_CHUNK_BYTES : MAX_CHUNK_BYTES) / pointBytes),
    Math.max(count, 1),
  );
  const decode = await context.kernels.get({
    file: 'setup/decode-points.wgsl',
    bindings: 'rwwu',
    workgroupSize: WORKGROUP,
    constants: { COORDINATES: u32Const(pointBytes / 48) },
  });
  const points = allocatePoints(context, group, targetCount(placement, count), run.phase);
  const place = await openPlacement(context, points, placement);
  const encoded = context.buffers.take('staging', chunkPoints * pointBytes, 'encoded points');
  const rows = context.buffers.take('staging', chunkPoints * pointBytes, 'decoded points');
  const report = context.buffers.take('staging', REPORT_BYTES, 'decoding report');
  context.device.queue.writeBuffer(report, 0, Uint32Array.of(0, 0xffffffff, 0));
  const commands = openPacedCommands(context, run);
  if (placement.kind !== 'in order') for (const segment of points.segments) commands.clear(segment);
  const constants = conversionConstants(context);
  let received = 0;
  let finished = false;
  let open = true;

  const convert = async (bytes: Uint8Array): Promise<void> => {
    const length = bytes.byteLength / pointBytes;
    context.device.queue.writeBuffer(
      encoded,
      0,
      bytes.buffer as ArrayBuffer,
      bytes.byteOffset,
      bytes.byteLength,
    );
    commands.dispatch(decode, [encoded, rows, report], groupsFor(length, WORKGROUP), [
      ...constants,
      length,
      received,
      1,
    ]);
    place.record(commands, rows, received, length);
    received += length;
    await commands.spend(length * CONVERSION_COST);
    // the buffers are written again for the next chunk
    await commands.flush();
  };
  return {
    push: async (bytes) => {
      const length = bytes.byteLength / pointBytes;
      if (!Number.isInteger(length) || received + length > count) {
        throw new RangeError(
          `${run.phase}: expected whole points of ${pointBytes} bytes, ${count - received} at most, got ${bytes.byteLength} bytes`,
        );
      }
      for (let at = 0; at < bytes.byteLength; at += chunkPoints * pointBytes)
        await convert(
          bytes.subarray(at, Math.min(at + chunkPoints * pointBytes, bytes.byteLength)),
        );
    },
    finish: async () => {
      if (received !== count) {
        throw new RangeError(`${run.phase}: expected ${count} points, got ${received}`);
      }
      await commands.flush();
      const [badPoints, first, infinities] = new Uint32Array(
        await readBuffer(context, report, 0, REPORT_BYTES),
      );
      finished = true;
      return {
        points,
        badPoints,
        firstBadPoint: badPoints === 0 ? undefined : first,
        infinities,
      };
    },
    close: () => {
      if (!open) return;
      open = false;
      for (const buffer of [encoded, rows, report]) context.buffers.give(buffer);
      place.close();
      if (!finished) for (const segment of points.segments) context.buffers.give(segment);
    },
  };
}

/** R² and 4R as the conversion kernels read them. */
function conversionConstants(context: GpuContext): number[] {
  const { montgomeryR, modulus, words } = FP_VARIANTS[context.variants.fp];
  const constants = new Uint32Array(2 * words);
  writeWords(constants, 0, words, mod(montgomeryR * montgomeryR, modulus));
  writeWords(constants, words, words, mod(4n * montgomeryR, modulus));
  return [...constants];
}
