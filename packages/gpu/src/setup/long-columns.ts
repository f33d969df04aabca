import { FR_BYTES } from '@cuzk/core/field/fr';
import type { GpuContext } from '../device/context.ts';
import type { Kernel } from '../device/kernel.ts';
import type { PacedCommands } from '../device/paced-commands.ts';
import {
  type DeviceTerms,
  dropTerms,
  type ItemSums,
  recordItemSums,
  uploadTerms,
} from './item-sums.ts';
import type { LongColumn, TransposedSegment } from './qap-columns.ts';
import { type DeviceRuns, type Run, recordRunSums, uploadRuns } from './run-sums.ts';

/** Values that are to be added to columns of the circuit: the targets of the runs. */
export interface ColumnAdditions {
  readonly values: GPUBuffer;
  readonly runs: DeviceRuns;
}

export interface LongColumnOptions {
  /** Partial sums at once. */
  readonly mostPartials: number;
  /** Elements that one invocation sums. */
  readonly mostTerms: number;
  /** Words of terms in one binding. */
  readonly mostWords: number;
}

/**
 * Sums the long columns of a segment over all its instances: a partial sum for each slice and instance, then runs of
 * partial sums until one is left for each column. Some instances at a time, so that the partial sums stay few. Waits
 * for the device. The result is the caller's to drop; undefined where no column is long. Throws RangeError where the
 * partial sums of one instance do not fit a binding, CuzkError CANCELLED.
 */
export async function sumLongColumns(
  context: GpuContext,
  sums: ItemSums & { readonly runs: Kernel },
  paced: PacedCommands,
  segment: TransposedSegment,
  options: LongColumnOptions,
): Promise<ColumnAdditions | undefined> {
  const targets = additionsOf(segment);
  if (targets.length === 0) return undefined;
  const slices = segment.slices.pointers.length - 1;
  const atOnce = Math.max(1, Math.floor(options.mostPartials / slices));
  if (atOnce * slices * FR_BYTES > context.traits.maxBindingBytes) {
    throw new RangeError(`setup: ${slices} partial sums of an instance do not fit a binding`);
  }
  const values = context.buffers.take('shape', targets.length * FR_BYTES, 'long columns');
  const result = { values, runs: uploadRuns(context, targets) };
  const terms = uploadTerms(context, segment.slices, options.mostWords);
  try {
    paced.commands.clear(values);
    for (let first = 0; first < segment.instances; first += atOnce) {
      const instances = Math.min(atOnce, segment.instances - first);
      const work = { context, sums, paced, segment, terms, options, values, slots: targets.length };
      await sumInstances(work, first, instances);
    }
    return result;
  } catch (error) {
    dropAdditions(context, result);
    throw error;
  } finally {
    dropTerms(context, terms);
  }
}

export function dropAdditions(context: GpuContext, { values, runs }: ColumnAdditions): void {
  context.buffers.drop(values);
  context.buffers.drop(runs.buffer);
}

/** One slot for each column that a long one stands for; the target is the column of the circuit. */
function additionsOf({ long, instances }: TransposedSegment): Run[] {
  const runs: Run[] = [];
  for (const { column, stride } of long) {
    const columns = stride === 0 ? 1 : instances;
    for (let i = 0; i < columns; i++) {
      runs.push({ first: runs.length, count: 1, target: column + i * stride });
    }
  }
  return runs;
}

interface LongWork {
  readonly context: GpuContext;
  readonly sums: ItemSums & { readonly runs: Kernel };
  readonly paced: PacedCommands;
  readonly segment: TransposedSegment;
  readonly terms: DeviceTerms;
  readonly options: LongColumnOptions;
  readonly values: GPUBuffer;
  readonly slots: number;
}

async function sumInstances(work: LongWork, first: number, instances: number): Promise<void> {
  const { context, sums, paced, segment, terms, options, values, slots } = work;
  const width = terms.items;
  const taken: GPUBuffer[] = [];
  const take = (elements: number): GPUBuffer => {
    const buffer = context.buffers.take('scratch', elements * FR_BYTES, 'partial sums');
    taken.push(buffer);
    paced.commands.clear(buffer);
    return buffer;
  };
  const add = async (from: GPUBuffer, runs: readonly Run[], to: GPUBuffer, count: number) => {
    const uploaded = uploadRuns(context, runs);
    taken.push(uploaded.buffer);
    await recordRunSums(sums.runs, paced, from, uploaded, { buffer: to, first: 0, count });
  };
  try {
    let from = take(instances * width);
    const range = {
      width,
      offset: 0,
      first: first * width,
      count: instances * width,
      outStart: 0,
    };
    await recordItemSums(sums, paced, segment, terms, range, from);
    let groups = partialsOf(segment, width, first, instances);
    do {
      const next = shorten(groups, options.mostTerms);
      const to = take(next.runs.length);
      await add(from, next.runs, to, next.runs.length);
      from = to;
      groups = next.groups;
    } while (groups.some(({ pieces }) => pieces[0].count > options.mostTerms));
    const last = groups.map(({ slot, pieces }) => ({ ...pieces[0], target: slot }));
    await add(from, last, values, slots);
    await paced.finish();
  } finally {
    for (const buffer of taken) context.buffers.drop(buffer);
  }
}

/** Where the partial sums of one column are. */
interface Group {
  readonly slot: number;
  readonly pieces: readonly { readonly first: number; readonly count: number }[];
}

/** Slice k of instance i is partial sum i·width + k. */
function partialsOf(
  { long, instances: all }: TransposedSegment,
  width: number,
  firstInstance: number,
  instances: number,
): Group[] {
  const groups: Group[] = [];
  let slot = 0;
  const piece = (column: LongColumn, instance: number) => ({
    first: instance * width + column.firstSlice,
    count: column.slices,
  });
  const each = Array.from({ length: instances }, (_, i) => i);
  for (const column of long) {
    if (column.stride === 0) {
      groups.push({ slot, pieces: each.map((i) => piece(column, i)) });
      slot += 1;
    } else {
      for (const i of each)
        groups.push({ slot: slot + firstInstance + i, pieces: [piece(column, i)] });
      slot += all;
    }
  }
  return groups;
}

/** Cuts the pieces into runs of at most `most` elements; the sums of a group's runs lie side by side. */
function shorten(groups: readonly Group[], most: number): { runs: Run[]; groups: Group[] } {
  const runs: Run[] = [];
  const shorter = groups.map(({ slot, pieces }) => {
    const first = runs.length;
    for (const piece of pieces) {
      for (let done = 0; done < piece.count; done += most) {
        runs.push({
          first: piece.first + done,
          count: Math.min(most, piece.count - done),
          target: runs.length,
        });
      }
    }
    return { slot, pieces: [{ first, count: runs.length - first }] };
  });
  return { runs, groups: shorter };
}
