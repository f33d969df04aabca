import { rankOf } from '@cuzk/core/r1cs/bitmap';
import { groupsFor } from '../device/commands.ts';
import type { GpuContext } from '../device/context.ts';
import { type Kernel, u32Const } from '../device/kernel.ts';
import { uploadWords } from '../device/upload-words.ts';
import type { Recording } from './point-decode.ts';
import {
  type CurveGroup,
  forEachPiece,
  POINT_BYTES,
  type PointSegments,
  pointsInSegment,
} from './point-segments.ts';

const WORKGROUP = 64;

/** Where the points of a file go. Target points that none goes to are infinity. */
export type PointPlacement =
  | { readonly kind: 'in order' }
  /** Point i goes to bit-reversed i of `logN` bits; there are 2^logN targets. */
  | { readonly kind: 'bit reversed'; readonly logN: number }
  /** Point firstPoint + k goes to the k-th set bit of `density`; earlier points are dropped. */
  | {
      readonly kind: 'expanded';
      readonly bits: number;
      readonly firstPoint: number;
      readonly density: Uint32Array;
      /** Set bits before each word of the density. */
      readonly ranks: Uint32Array;
    };

/** Points a placement of `count` points needs. Throws RangeError where they do not fit. */
export function targetCount(placement: PointPlacement, count: number): number {
  if (placement.kind === 'bit reversed') {
    if (count > 2 ** placement.logN) {
      throw new RangeError(
        `bit reversal: expected at most 2^${placement.logN} points, got ${count}`,
      );
    }
    return 2 ** placement.logN;
  }
  return placement.kind === 'expanded' ? placement.bits : count;
}

/** Moves decoded points to their places. */
export interface OpenPlacement {
  record(commands: Recording, rows: GPUBuffer, first: number, count: number): void;
  close(): void;
}

const PLACEMENTS = { 'bit reversed': 0, expanded: 1 } as const;

/** Prepares the placement of points into `points`, which are infinity where nothing goes. */
export async function openPlacement(
  context: GpuContext,
  points: PointSegments,
  placement: PointPlacement,
): Promise<OpenPlacement> {
  const oneTarget = placement.kind === 'bit reversed' && placement.logN === 0;
  if (placement.kind === 'in order' || oneTarget) {
    return {
      record: (commands, rows, first, count) => {
        copyInOrder(commands, points, rows, first, count);
      },
      close: () => {},
    };
  }
  const kernel = await placeKernel(context, points.group, PLACEMENTS[placement.kind]);
  if (placement.kind === 'bit reversed') {
    return {
      record: (commands, rows, first, count) => {
        points.segments.forEach((segment, index) => {
          const target = index * points.segmentPoints;
          commands.dispatch(kernel, [rows, rows, rows, segment], groupsFor(count, WORKGROUP), [
            count,
            first,
            count,
            target,
            pointsInSegment(points, index),
            0,
            placement.logN,
          ]);
        });
      },
      close: () => {},
    };
  }
  return openExpansion(context, points, placement, kernel);
}

function openExpansion(
  context: GpuContext,
  points: PointSegments,
  placement: Extract<PointPlacement, { kind: 'expanded' }>,
  kernel: Kernel,
): OpenPlacement {
  const density = uploadWords(context, 'staging', placement.density, 'density');
  const ranks = uploadWords(context, 'staging', placement.ranks, 'density ranks');
  return {
    record: (commands, rows, first, count) => {
      const from = bitOfRank(placement, first - placement.firstPoint);
      const to = bitOfRank(placement, first + count - placement.firstPoint);
      forEachPiece(from, to - from, points.segmentPoints, (segment, start, length) => {
        const target = segment * points.segmentPoints;
        commands.dispatch(
          kernel,
          [rows, density, ranks, points.segments[segment]],
          groupsFor(length, WORKGROUP),
          [
            length,
            first,
            count,
            target,
            pointsInSegment(points, segment),
            target + start,
            placement.firstPoint,
          ],
        );
      });
    },
    close: () => {
      context.buffers.give(density);
      context.buffers.give(ranks);
    },
  };
}

/** The lowest bit below which at least `rank` bits of the density are set; `bits` where there are not so many. */
export function bitOfRank(
  { density, ranks, bits }: { density: Uint32Array; ranks: Uint32Array; bits: number },
  rank: number,
): number {
  let low = 0;
  let high = bits;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (rankOf(density, ranks, middle) < rank) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The kernel of one placement (kernels/setup/place-points.wgsl). */
export const placeKernel = (
  context: GpuContext,
  group: CurveGroup,
  placement: 0 | 1 | 2,
): Promise<Kernel> =>
  context.kernels.get({
    file: 'setup/place-points.wgsl',
    bindings: 'rrrwu',
    workgroupSize: WORKGROUP,
    constants: { ROW: u32Const(POINT_BYTES[group] / 16), PLACEMENT: u32Const(placement) },
  });

/** Copies `count` decoded rows to points `first` … . */
function copyInOrder(
  commands: Recording,
  points: PointSegments,
  rows: GPUBuffer,
  first: number,
  count: number,
): void {
  const bytes = POINT_BYTES[points.group];
  forEachPiece(first, count, points.segmentPoints, (segment, start, length, offset) => {
    commands.copy(rows, offset * bytes, points.segments[segment], start * bytes, length * bytes);
  });
}
