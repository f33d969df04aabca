import { batchesBytes } from '../curve/pair-round-batches.ts';
import type { PairTreeSize } from '../curve/pair-tree.ts';
import { HARDWARE_FORM, SOFTWARE_FORM } from '../curve/pair-tree-kernels.ts';
import { type CurveGroup, POINT_BYTES, segmentPointsFor } from '../curve/point-segments.ts';
import type { DeviceTraits } from '../device/context.ts';
import { planMsm } from '../msm/msm-plan.ts';
import { type Pieces, piecesFor, selectedSize } from '../msm/sum-selected.ts';

const WORD_BYTES = 4;

/** Of a pair: its references, whether it looks alike, products and a share of the threads' (pair-round-split.ts). */
const LISTED_BYTES = 8 + 4;
const SPLIT_BYTES = 2 * 48 + 3;

/** Of two coordinates' arena, pairs with what a round keeps, and two lists with their groups (pair-tree.ts). */
function pairTreeBytes(traits: DeviceTraits, group: CurveGroup, size: PairTreeSize): number {
  const pairs = Math.max(1, size.elements / 2);
  const { round } = traits.software ? SOFTWARE_FORM : HARDWARE_FORM;
  const kept = round.sums === 'batches' ? batchesBytes(group, pairs, round) : pairs * SPLIT_BYTES;
  return (
    size.arenaPoints * POINT_BYTES[group] +
    pairs * LISTED_BYTES +
    kept +
    2 * size.elements * WORD_BYTES +
    2 * size.groups * 8
  );
}

/** Scratch of one MSM over `arrays` base arrays: its tree, sort and buckets. */
export function msmBytes(
  count: number,
  arrays: number,
  group: CurveGroup,
  traits: DeviceTraits,
  maxEntries?: number,
): number {
  const options = maxEntries === undefined ? {} : { maxEntries };
  const plan = planMsm(count, traits, group, options);
  const { elements, arenaPoints, runBuckets, foldBuckets, runEntries } = plan;
  return (
    pairTreeBytes(traits, group, { elements, arenaPoints, groups: runBuckets }) +
    runBuckets * 8 +
    (2 * runEntries + elements) * WORD_BYTES +
    arrays * foldBuckets * POINT_BYTES[group]
  );
}

/** Scratch of a sum of selected points (sum-selected.ts): its tree, the list of references, what pieces leave over. */
export function selectedBytes(
  traits: DeviceTraits,
  group: CurveGroup,
  { arrays, points, bits }: { arrays: number; points: number; bits: number },
  pieces: Pieces = piecesFor(traits),
): number {
  const segments = Math.ceil(points / segmentPointsFor(traits, group));
  const size = selectedSize(traits, group, { arrays, segments, bits }, pieces);
  const { elements, chunkWords, rowsEach } = size;
  return (
    pairTreeBytes(traits, group, { elements, arenaPoints: elements, groups: 1 }) +
    chunkWords * 32 * WORD_BYTES +
    (arrays * rowsEach + (group === 'g1' ? pieces.late : 0)) * POINT_BYTES[group]
  );
}
