import type { PacedCommands } from '../curve/curve-commands.ts';
import type { PairTree } from '../curve/pair-tree.ts';
import {
  type RaggedGroups,
  readLargestGroup,
  recordGroupOffsets,
} from '../curve/pair-tree-groups.ts';
import {
  type CurveGroup,
  forEachPiece,
  POINT_BYTES,
  type ScalarSegments,
} from '../curve/point-segments.ts';
import { type Binding, groupsFor } from '../device/commands.ts';
import type { GpuContext } from '../device/context.ts';
import { type Kernel, u32Const } from '../device/kernel.ts';
import {
  bucketsInRun,
  type WindowRun,
  type WindowShape,
  windowBits,
  windowOffset,
} from './msm-plan.ts';

/** Kernels and buffers of the counting sort of digits. */
export interface DigitSort {
  readonly digits: Kernel;
  readonly sparseDigits: Kernel;
  readonly scatter: Kernel;
  readonly table: GPUBuffer;
  readonly keys: GPUBuffer;
  readonly ranks: GPUBuffer;
  readonly list: GPUBuffer;
  close(): void;
}

const WORKGROUP = 128;
const SCALAR_WORDS = 8;

/** `elements` includes one seed per bucket where there are several segments. */
export async function openDigitSort(
  context: GpuContext,
  group: CurveGroup,
  size: { entries: number; elements: number; buckets: number },
): Promise<DigitSort> {
  const digitKernel = (sparse: boolean): Promise<Kernel> =>
    context.kernels.get({
      file: 'msm/digits.wgsl',
      bindings: 'rrwwwu',
      workgroupSize: WORKGROUP,
      constants: {
        ROW: u32Const(POINT_BYTES[group] / 16),
        SPARSE: { type: 'bool', value: sparse ? 1 : 0 },
      },
    });
  const [digits, sparseDigits, scatter] = await Promise.all([
    digitKernel(false),
    digitKernel(true),
    context.kernels.get({ file: 'msm/scatter.wgsl', bindings: 'rrrwu', workgroupSize: WORKGROUP }),
  ]);
  const take = (bytes: number, label: string): GPUBuffer =>
    context.buffers.take('scratch', bytes, `digit sort ${label}`);
  const table = take(size.buckets * 8, 'buckets');
  const keys = take(size.entries * 4, 'keys');
  const ranks = take(size.entries * 4, 'ranks');
  const list = take(size.elements * 4, 'list');
  return {
    digits,
    sparseDigits,
    scatter,
    table,
    keys,
    ranks,
    list,
    close: () => {
      for (const buffer of [table, keys, ranks, list]) context.buffers.give(buffer);
    },
  };
}

/** Sum of half of every window: what turns plain windows into signed digits. */
export function windowHalves(shape: WindowShape): number[] {
  let halves = 0n;
  for (let window = 0; window < shape.windows; window++)
    halves += 1n << BigInt(windowOffset(shape, window) + windowBits(shape, window) - 1);
  return Array.from({ length: SCALAR_WORDS }, (_, i) =>
    Number(BigInt.asUintN(32, halves >> BigInt(32 * i))),
  );
}

/** The part of the input that is sorted at once. */
export interface SortInput {
  readonly scalars: ScalarSegments;
  /** First scalar and number of scalars; base indices are counted from `first`. */
  readonly first: number;
  readonly count: number;
  readonly shape: WindowShape;
  readonly run: WindowRun;
  /** Every bucket also gets arena slot g, the sum of earlier segments. */
  readonly seeded: boolean;
  /** Points `first` … of the bases where those at infinity are to be left out. */
  readonly sparseBases: Binding | undefined;
  readonly scatterEntries: number;
}

/**
 * Sorts references to the points by bucket: one group per bucket of the run's windows, in `sort.list`. Does not wait.
 */
export async function sortDigits(
  tree: PairTree,
  sort: DigitSort,
  commands: PacedCommands,
  input: SortInput,
): Promise<RaggedGroups> {
  const { scalars, shape, run } = input;
  const groups = bucketsInRun(shape, run);
  commands.clear(sort.table, 0, groups * 8);
  const windows = [...windowHalves(shape), shape.wide, shape.bits, run.first, run.count];
  forEachPiece(
    (scalars.skipped ?? 0) + input.first,
    input.count,
    scalars.segmentScalars,
    (segment, start, length, offset) => {
      commands.dispatch(
        input.sparseBases === undefined ? sort.digits : sort.sparseDigits,
        [
          scalars.segments[segment],
          input.sparseBases ?? scalars.segments[segment],
          sort.table,
          sort.keys,
          sort.ranks,
        ],
        groupsFor(length, WORKGROUP),
        [...windows, length, start, offset, input.count],
      );
    },
  );
  recordGroupOffsets(tree, commands, sort.table, sort.list, groups, input.seeded);
  recordScatter(sort, commands, input);
  await commands.send();
  const elements = run.count * input.count + (input.seeded ? groups : 0);
  return {
    list: sort.list,
    table: sort.table,
    groups,
    elements,
    // a software adapter is done by now, and knows better
    likelyRounds: tree.context.traits.software ? 0 : likelyRounds(elements / groups),
    largest: readLargestGroup(tree),
  };
}

/** Where a window has more entries than the cache holds, its buckets are filled a part at a time. */
function recordScatter(
  sort: DigitSort,
  commands: PacedCommands,
  { shape, run, count, scatterEntries }: SortInput,
): void {
  const record = (first: number, entries: number, firstBucket: number, buckets: number): void => {
    commands.dispatch(
      sort.scatter,
      [sort.table, sort.keys, sort.ranks, sort.list],
      groupsFor(entries, WORKGROUP),
      [first, entries, count, firstBucket, buckets],
    );
  };
  const parts = Math.ceil(count / scatterEntries);
  if (parts === 1) {
    record(0, run.count * count, 0, bucketsInRun(shape, run));
    return;
  }
  let firstBucket = 0;
  for (let window = 0; window < run.count; window++) {
    const buckets = 2 ** (windowBits(shape, run.first + window) - 1);
    const perPart = Math.ceil(buckets / parts);
    for (let at = 0; at < buckets; at += perPart)
      record(window * count, count, firstBucket + at, Math.min(perPart, buckets - at));
    firstBucket += buckets;
  }
}

/** Rounds that nearly every bucket needs where digits are random: the mean and four deviations. */
const likelyRounds = (perBucket: number): number =>
  Math.floor(Math.log2(perBucket + 4 * Math.sqrt(perBucket) + 2));
