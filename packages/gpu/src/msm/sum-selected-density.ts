import { hasBit, rankOf, ranksOf } from '@cuzk/core/r1cs/bitmap';
import type { GpuContext } from '../device/context.ts';

/**
 * Which bits of a plane have a point, where not all have: the point of bit i is number `firstBase` + (set bits of
 * `density` below i).
 */
export interface Selection {
  readonly bits: number;
  readonly firstBase: number;
  /** Number after that of the last point. */
  readonly endBase: number;
  readonly density: GPUBuffer;
  /** Set bits of the density before each word. */
  readonly ranks: GPUBuffer;
}

/** Uploads a density (a bitmap of bits ≥ 1, bit i in word i >> 5) and its ranks. Release it with releaseSelection. */
export function uploadSelection(
  context: GpuContext,
  density: Uint32Array,
  bits: number,
  firstBase: number,
  ranks: Uint32Array = ranksOf(density),
): Selection {
  const upload = (words: Uint32Array, label: string): GPUBuffer => {
    const buffer = context.buffers.take('shape', words.byteLength, label);
    context.device.queue.writeBuffer(
      buffer,
      0,
      words.buffer as ArrayBuffer,
      words.byteOffset,
      words.byteLength,
    );
    return buffer;
  };
  return {
    bits,
    firstBase,
    endBase: firstBase + rankOf(density, ranks, bits - 1) + (hasBit(density, bits - 1) ? 1 : 0),
    density: upload(density, 'density'),
    ranks: upload(ranks, 'density ranks'),
  };
}

export function releaseSelection(context: GpuContext, { density, ranks }: Selection): void {
  context.buffers.give(density);
  context.buffers.give(ranks);
}
