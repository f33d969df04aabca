import type { CircuitShape } from '@cuzk/core/r1cs/shape';
import { groupsFor } from '../device/commands.ts';
import type { GpuContext } from '../device/context.ts';
import type { Kernel } from '../device/kernel.ts';
import type { PacedCommands } from '../device/paced-commands.ts';
import { uploadWords } from '../device/upload-words.ts';
import { FR_VARIANTS, writeBiasedConstant } from '../field/field-variants.ts';
import type { FrVector } from '../field/fr-vector.ts';
import { coefficientValues } from '../r1cs/r1cs-program.ts';
import type { TransposedSegment, TransposedTerms } from './qap-columns.ts';

const WORKGROUP = 64;

/** Transposed terms on the device, cut so that each part fits a binding. */
export interface DeviceTerms {
  readonly items: number;
  readonly terms: number;
  readonly pointers: GPUBuffer;
  readonly chunks: readonly {
    readonly firstItem: number;
    readonly items: number;
    readonly firstTerm: number;
    readonly buffer: GPUBuffer;
  }[];
}

/** Uploads transposed terms; no part has more than `mostWords` words unless one item does. */
export function uploadTerms(
  context: GpuContext,
  { pointers, terms }: TransposedTerms,
  mostWords: number,
): DeviceTerms {
  const items = pointers.length - 1;
  const chunks: DeviceTerms['chunks'][number][] = [];
  for (let firstItem = 0; firstItem < items; ) {
    const firstTerm = pointers[firstItem];
    const end = lastFitting(pointers, firstItem, firstTerm + mostWords / 2);
    const words = terms.subarray(2 * firstTerm, 2 * pointers[end]);
    const buffer = uploadWords(context, 'shape', words, 'transposed terms');
    chunks.push({ firstItem, items: end - firstItem, firstTerm, buffer });
    firstItem = end;
  }
  return {
    items,
    terms: terms.length / 2,
    pointers: uploadWords(context, 'shape', pointers, 'transposed pointers'),
    chunks,
  };
}

/** The largest end of items whose terms end at `mostTerm` or before; at least one item. */
function lastFitting(pointers: Uint32Array, firstItem: number, mostTerm: number): number {
  let low = firstItem + 1;
  let high = pointers.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (pointers[middle] <= mostTerm) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Sizes differ from use to use, so the buffers are destroyed and not kept. */
export function dropTerms(context: GpuContext, { pointers, chunks }: DeviceTerms): void {
  context.buffers.drop(pointers);
  for (const { buffer } of chunks) context.buffers.drop(buffer);
}

/** What sums of terms need: the kernel, L and the coefficients. */
export interface ItemSums {
  readonly kernel: Kernel;
  readonly lagrange: FrVector;
  readonly coefficients: GPUBuffer;
}

/** Items of all instances of a segment: `width` items from number `offset` on, instance after instance. */
export interface ItemRange {
  readonly width: number;
  readonly offset: number;
  /** The first one that is summed, counted over all instances. */
  readonly first: number;
  readonly count: number;
  /** Element of `out` of the first one. */
  readonly outStart: number;
}

/** The coefficients of a circuit as item-sums.wgsl reads them. */
export function uploadCoefficients(context: GpuContext, shape: CircuitShape): GPUBuffer {
  const field = FR_VARIANTS[context.variants.fr];
  const values = coefficientValues(shape);
  const words = new Uint32Array(values.length * field.words);
  values.forEach((value, i) => {
    writeBiasedConstant(field, words, i * field.words, value);
  });
  return uploadWords(context, 'shape', words, 'coefficients');
}

export const itemSumsKernel = (context: Pick<GpuContext, 'kernels'>): Promise<Kernel> =>
  context.kernels.get({
    file: 'setup/item-sums.wgsl',
    bindings: 'wrrrru',
    workgroupSize: WORKGROUP,
  });

/**
 * Adds to elements of `out` the sums over the terms of items: coefficient times L at the term's row. One dispatch for
 * each part of L and of the terms that can matter.
 */
export async function recordItemSums(
  { kernel, lagrange, coefficients }: ItemSums,
  paced: PacedCommands,
  segment: Pick<TransposedSegment, 'rows' | 'firstRow'>,
  terms: DeviceTerms,
  range: ItemRange,
  out: GPUBuffer,
): Promise<void> {
  const { width, offset, first, count, outStart } = range;
  if (count === 0 || terms.terms === 0) return;
  const { rows, firstRow } = segment;
  const { segmentLength } = lagrange;
  const rowFrom = firstRow + Math.floor(first / width) * rows;
  const rowTo = firstRow + (Math.floor((first + count - 1) / width) + 1) * rows;
  for (let part = Math.floor(rowFrom / segmentLength); part * segmentLength < rowTo; part++) {
    const partFirst = part * segmentLength;
    const partCount = Math.min(segmentLength, lagrange.length - partFirst);
    for (const chunk of terms.chunks) {
      paced.commands.dispatch(
        kernel,
        [out, lagrange.segments[part], coefficients, terms.pointers, chunk.buffer],
        groupsFor(count, WORKGROUP),
        [
          width,
          offset,
          first,
          count,
          outStart,
          firstRow,
          rows,
          partFirst,
          partCount,
          chunk.firstItem,
          chunk.items,
          chunk.firstTerm,
        ],
      );
      await paced.spend((count * terms.terms) / terms.items);
    }
  }
}
