import { CuzkError } from '@cuzk/core/errors';
import { mod } from '@cuzk/core/field/modular';
import { type Commands, groupsFor, openCommands, readBuffer } from '../device/commands.ts';
import type { DeviceTraits, GpuContext } from '../device/context.ts';
import { u32Const } from '../device/kernel.ts';
import { ringSizeFor, type StagingSlot, stagingRingOf } from '../device/staging-ring.ts';
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

/** Memory from a multiple of 768 bytes on. */
export interface BufferPart {
  readonly buffer: GPUBuffer;
  readonly offset: number;
}

/** Turns encoded points into rows, a chunk at a time; several chunks are read while others are on their way. */
export interface PointDecoder {
  /** Most points of a chunk; so many take a multiple of 768 bytes. */
  readonly chunkPoints: number;
  /**
   * Takes a chunk: `fill` writes the encoded points into mapped memory; `to` gets their rows, or records what becomes
   * of them before the next chunk overwrites them. `first` is the number of the first point in reports. Returns as
   * soon as another chunk can be taken; throws what `fill` of an earlier chunk threw, CuzkError CANCELLED.
   */
  decode(
    first: number,
    count: number,
    fill: (target: Uint8Array) => Promise<void>,
    to: BufferPart | ((commands: Recording, rows: GPUBuffer) => void),
  ): Promise<void>;
  /** Waits until all chunks are submitted. Throws as decode does. */
  submitted(): Promise<void>;
  /** Waits for all chunks. */
  report(): Promise<DecodingReport>;
  close(): Promise<void>;
}

const WORKGROUP = 64;
const REPORT_BYTES = 12;
/** A multiple of the offsets at which a buffer can be bound, and of the bytes of a point. */
const BINDING_ALIGNMENT = 768;
/**
 * Chunks that are filled at once, by several threads each. V8 counts mapped memory that JavaScript sees: with 32 MiB of
 * it new, every array that is made, as for every read of a file, starts a young collection, and growth by 64 MiB a full
 * one. Three slots stay below that.
 */
const MOST_FILLING = 3;
/** A chunk as it was read, and as points. */
const CHUNK_BUFFERS = 2;

/** Bytes of device memory that a decoder takes beside the ring of the device. */
export const decoderBytes = (traits: Pick<DeviceTraits, 'software'>): number =>
  CHUNK_BUFFERS * ringSizeFor(traits).slotBytes;

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
  const pointBytes = POINT_BYTES[group];
  const ring = stagingRingOf(context);
  const chunkPoints =
    Math.floor(ring.slotBytes / BINDING_ALIGNMENT) * (BINDING_ALIGNMENT / pointBytes);
  const kernel = await context.kernels.get({
    file: 'setup/decode-points.wgsl',
    bindings: 'rwwu',
    workgroupSize: WORKGROUP,
    constants: { COORDINATES: u32Const(pointBytes / 48) },
  });
  const take = (bytes: number, label: string): GPUBuffer =>
    context.buffers.take('staging', bytes, label);
  const encoded = take(ring.slotBytes, 'encoded points');
  const rows = take(ring.slotBytes, 'decoded points');
  const found = take(REPORT_BYTES, 'decoding report');
  context.device.queue.writeBuffer(found, 0, Uint32Array.of(0, 0xffffffff, 0));
  const commands = openCommands(context);
  const constants = conversionConstants(context);
  const fills = new Set<Promise<void>>();
  let queue: Promise<void> = Promise.resolve();
  let failure: { readonly cause: unknown } | undefined;
  const fail = (cause: unknown): void => {
    failure ??= { cause };
  };
  const check = (): void => {
    if (failure !== undefined) throw failure.cause;
    if (run.signal?.aborted) throw new CuzkError('CANCELLED', 'cancelled between two chunks');
  };
  const submitted = async (): Promise<void> => {
    await queue;
    if (failure !== undefined) throw failure.cause;
  };
  const send = async (
    slot: StagingSlot,
    filled: Promise<void>,
    record: () => void,
  ): Promise<void> => {
    try {
      await filled;
      record();
      // the ring bounds what is in flight: paced with the work that waits for these points, it would starve
      const done = commands.submit(run.phase);
      if (context.traits.software) await done;
      else done.catch(fail);
    } finally {
      slot.release();
    }
  };
  return {
    chunkPoints,
    decode: async (first, count, fill, to) => {
      while (fills.size >= MOST_FILLING) await Promise.race(fills);
      const slot = await ring.take();
      const sizeBytes = count * pointBytes;
      try {
        check();
      } catch (error) {
        slot.unmap();
        slot.release();
        throw error;
      }
      const filled = fill(slot.bytes.subarray(0, sizeBytes)).finally(slot.unmap);
      // who waits for it in turn hears of an error
      const ended = filled.catch(() => {}).finally(() => fills.delete(ended));
      fills.add(ended);
      const record = (): void => {
        commands.copy(slot.buffer, 0, encoded, 0, sizeBytes);
        const params = [...constants, count, first, 1];
        const target = typeof to === 'function' ? rows : { ...to, size: sizeBytes };
        commands.dispatch(kernel, [encoded, target, found], groupsFor(count, WORKGROUP), params);
        if (typeof to === 'function') to(commands, rows);
      };
      queue = queue.then(() => send(slot, filled, record)).catch(fail);
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
      await Promise.all(fills);
      await queue;
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
