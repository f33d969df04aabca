import { FP_BYTES } from '@cuzk/core/field/fp';
import { batchesBytes } from '../curve/pair-round-batches.ts';
import type { PairTreeSize } from '../curve/pair-tree.ts';
import { pairFormFor } from '../curve/pair-tree-kernels.ts';
import { type CurveGroup, POINT_BYTES, segmentPointsFor } from '../curve/point-segments.ts';
import type { DeviceTraits } from '../device/context.ts';
import { planMsm } from '../msm/msm-plan.ts';
import { selectedListBytes } from '../msm/sum-selected-list.ts';
import {
  type Pieces,
  piecesFor,
  type SelectedCounts,
  selectedSize,
} from '../msm/sum-selected-size.ts';

const WORD_BYTES = 4;
/** Of a pair's share of the threads' products (pair-round-split.ts). */
const SPLIT_BYTES = 3;

/** Of sizes of buffers. */
export const sumOf = (sizes: readonly number[]): number =>
  sizes.reduce((sum, size) => sum + size, 0);

/** The buffers of a tree in the order in which they are taken (pair-tree.ts), small ones left out. */
function pairTreeBuffers(traits: DeviceTraits, group: CurveGroup, size: PairTreeSize): number[] {
  const { elements, arenaPoints, groups } = size;
  const pairs = Math.max(1, elements / 2);
  const { round } = pairFormFor(traits);
  const kept =
    round.sums === 'batches'
      ? [batchesBytes(group, pairs, round)]
      : [2 * pairs * FP_BYTES, pairs * SPLIT_BYTES];
  const plane = (arenaPoints * POINT_BYTES[group]) / 2;
  const list = elements * WORD_BYTES;
  return [...kept, plane, plane, pairs * 8, pairs * 4, list, list, groups * 8, groups * 8];
}

/** The buffers of one MSM over `arrays` base arrays, in the order in which they are taken: tree, sort, buckets. */
export function msmBuffers(
  count: number,
  arrays: number,
  group: CurveGroup,
  traits: DeviceTraits,
  maxEntries?: number,
  segmentPoints?: number,
): number[] {
  const options = maxEntries === undefined ? {} : { maxEntries };
  const plan = planMsm(count, traits, group, options, segmentPoints);
  const { elements, arenaPoints, runBuckets, foldBuckets, runEntries } = plan;
  return [
    ...pairTreeBuffers(traits, group, { elements, arenaPoints, groups: runBuckets }),
    runBuckets * 8,
    runEntries * WORD_BYTES,
    runEntries * WORD_BYTES,
    elements * WORD_BYTES,
    ...Array.from({ length: arrays }, () => foldBuckets * POINT_BYTES[group]),
  ];
}

/** Scratch of one MSM over `arrays` base arrays. */
export const msmBytes = (...msm: Parameters<typeof msmBuffers>): number =>
  sumOf(msmBuffers(...msm));

/** Scratch of sums of selected points (sum-selected.ts): their tree, lists of references, what ranges leave over. */
export function selectedBytes(
  traits: DeviceTraits,
  group: CurveGroup,
  { sums, points, bits }: Omit<SelectedCounts, 'segments'>,
  pieces: Pieces = piecesFor(traits),
): number {
  const segments = Math.ceil(points / segmentPointsFor(traits, group));
  const size = selectedSize(traits, group, { sums, points, segments, bits }, pieces);
  const { elements, rowsEach } = size;
  return (
    sumOf(pairTreeBuffers(traits, group, { elements, arenaPoints: elements, groups: 1 })) +
    selectedListBytes(size) +
    (sums * (rowsEach + (pieces.kept > 1 ? pieces.leftOver : 0)) +
      (group === 'g1' ? pieces.late : 0)) *
      POINT_BYTES[group]
  );
}
