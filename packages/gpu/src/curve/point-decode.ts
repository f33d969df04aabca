import { CuzkError } from '@cuzk/core/errors';
import { mod } from '@cuzk/core/field/modular';
import { type Commands, groupsFor, openCommands, readBuffer } from '../device/commands.ts';
import type { GpuContext } from '../device/context.ts';
import { u32Const } from '../device/kernel.ts';
import { openStagingRing } from '../device/staging-ring.ts';
import { FP_VARIANTS, writeWords } from '../field/field-variants.ts';
import type { CurveRun } from './curve-commands.ts';
import { type CurveGroup, POINT_BYTES } from './point-segments.ts';

/** What was found of the points decoded so far. */
export interface DecodingReport {
  /** Encodings that are no point of the curve: bad flags, a coordinate ≥ p, off the curve. Decoded as infinity. */
  readonly badPoints: number;
  /** Number of the lowest of them. */
  readonly firstBadPoint: number | undefined;
  /** Encodings of infinity. */
  readonly infinities: number;
}

/** Commands that only record. */
export type Recording = Pick<Commands, 'dispatch' | 'copy'>;

/** Turns encoded points into rows, a chunk at a time; several chunks are read while others are on their way. */
export interface PointDecoder {
  /** Most points of a chunk. */
  readonly chunkPoints: number;
  /**
   * Takes a chunk: `fill` writes the encoded points into mapped memory, `place` records what becomes of their rows,
   * which the next chunk overwrites. `first` is the number of the first point in reports. Returns as soon as another
   * chunk can be taken; throws what `fill` of an earlier chunk threw, CuzkError CANCELLED.
   */
  decode(
    first: number,
    count: number,
    fill: (target: Uint8Array) => Promise<void>,
    place: (commands: Recording, rows: GPUBuffer) => void,
  ): Promise<void>;
  /** Waits until all chunks are submitted. Throws as decode does. */
  submitted(): Promise<void>;
  /** Waits for all chunks. */
  report(): Promise<DecodingReport>;
  close(): Promise<void>;
}

const WORKGROUP = 64;
/**
 * Small enough for any binding. So many keep the threads that read files busy, and go on for some 20 ms while the device
 * has other work to do first.
 */
const CHUNK_BYTES = { software: 2 ** 23, hardware: 2 ** 24 };
const SLOTS = { software: 2, hardware: 16 };
const REPORT_BYTES = 12;

/** Bytes of device and mapped host memory that a decoder takes. */
export function decoderBytes({ software }: { software: boolean }): number {
  const kind = software ? 'software' : 'hardware';
  return (2 + SLOTS[kind]) * CHUNK_BYTES[kind];
}

/**
 * Opens a decoder of bellperson's uncompressed encoding (zcash: big-endian canonical coordinates, G2 c1 first,
 * infinity flag 0x40). Conversion to the form of the active field variant and the check of the curve equation run on
 * the device. Membership in the subgroup of order r is not checked.
 */
export async function openPointDecoder(
  context: GpuContext,
  group: CurveGroup,
  run: CurveRun,
): Promise<PointDecoder> {
  const kind = context.traits.software ? 'software' : 'hardware';
  const pointBytes = POINT_BYTES[group];
  const chunkPoints = Math.floor(CHUNK_BYTES[kind] / pointBytes);
  const kernel = await context.kernels.get({
    file: 'setup/decode-points.wgsl',
    bindings: 'rwwu',
    workgroupSize: WORKGROUP,
    constants: { COORDINATES: u32Const(pointBytes / 48) },
  });
  const ring = openStagingRing(context, SLOTS[kind], CHUNK_BYTES[kind]);
  const take = (bytes: number, label: string): GPUBuffer =>
    context.buffers.take('staging', bytes, label);
  const encoded = take(CHUNK_BYTES[kind], 'encoded points');
  const rows = take(CHUNK_BYTES[kind], 'decoded points');
  const found = take(REPORT_BYTES, 'decoding report');
  context.device.queue.writeBuffer(found, 0, Uint32Array.of(0, 0xffffffff, 0));
  const commands = openCommands(context);
  const constants = conversionConstants(context);
  const fills = new Set<Promise<void>>();
  let queue: Promise<void> = Promise.resolve();
  let fail = (_cause: unknown): void => {};
  const failed = new Promise<never>((_, reject) => {
    fail = reject;
  });
  failed.catch(() => {});

  const submitted = async (): Promise<void> => {
    await Promise.race([failed, queue]);
  };
  return {
    chunkPoints,
    decode: async (first, count, fill, place) => {
      if (run.signal?.aborted) throw new CuzkError('CANCELLED', 'cancelled between two chunks');
      // a slot whose chunk failed does not come back
      const slot = await Promise.race([failed, ring.take()]);
      const sizeBytes = count * pointBytes;
      const filled = fill(slot.bytes.subarray(0, sizeBytes));
      fills.add(filled);
      queue = queue
        .then(() => filled)
        .then(async () => {
          slot.unmap();
          commands.copy(slot.buffer, 0, encoded, 0, sizeBytes);
          const params = [...constants, count, first, 1];
          commands.dispatch(kernel, [encoded, rows, found], groupsFor(count, WORKGROUP), params);
          place(commands, rows);
          // the ring bounds what is in flight: paced with the work that waits for these points, it would starve
          const done = commands.submit(run.phase);
          slot.release();
          if (context.traits.software) await done;
          else done.catch(fail);
        })
        .catch(fail)
        .finally(() => fills.delete(filled));
    },
    submitted,
    report: async () => {
      await submitted();
      const words = new Uint32Array(await readBuffer(context, found, 0, REPORT_BYTES));
      const [badPoints, firstBad, infinities] = words;
      return { badPoints, firstBadPoint: badPoints === 0 ? undefined : firstBad, infinities };
    },
    close: async () => {
      // mapped memory must not go while a thread still reads a file into it
      await Promise.allSettled(fills);
      await queue;
      ring.close();
      for (const buffer of [encoded, rows, found]) context.buffers.give(buffer);
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
