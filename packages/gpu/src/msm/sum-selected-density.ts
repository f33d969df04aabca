import { hasBit, rankOf, ranksOf } from '@cuzk/core/r1cs/bitmap';
import type { GpuContext } from '../device/context.ts';
import { uploadWords } from '../device/upload-words.ts';

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
  return {
    bits,
    firstBase,
    endBase: firstBase + rankOf(density, ranks, bits - 1) + (hasBit(density, bits - 1) ? 1 : 0),
    density: uploadWords(context, 'shape', density, 'density'),
    ranks: uploadWords(context, 'shape', ranks, 'density ranks'),
  };
}

export function releaseSelection(context: GpuContext, { density, ranks }: Selection): void {
  context.buffers.give(density);
  context.buffers.give(ranks);
}
