import type { G1Affine, G2Affine } from '@cuzk/core/curve/points';
import { g1WeightedSum, g2WeightedSum } from '@cuzk/core/curve/weighted-sum';
import type { AffineOf, CurveGroup } from '../curve/point-segments.ts';
import { type WindowShape, windowBits, windowOffset } from './msm-plan.ts';

/**
 * The result from the folded buckets: `rows` holds, window by window, Σ B[k] and the bit sums of pair-tree-fold.ts.
 * 255 doublings and as many additions, a few ms.
 */
export function finishMsm<G extends CurveGroup>(
  group: G,
  shape: WindowShape,
  rows: readonly AffineOf<G>[],
): AffineOf<G> {
  const result =
    group === 'g1'
      ? g1WeightedSum(byBit(shape, rows as readonly G1Affine[]))
      : g2WeightedSum(byBit(shape, rows as readonly G2Affine[]));
  return result as AffineOf<G>;
}

/** The weight of bucket k is k + 1, so the sum of all buckets counts once more at the window's lowest bit. */
function byBit<T extends { readonly x: unknown; readonly y: unknown }>(
  shape: WindowShape,
  rows: readonly (T | null)[],
): (T | null)[][] {
  const lists: (T | null)[][] = [];
  let row = 0;
  for (let window = 0; window < shape.windows; window++) {
    const offset = windowOffset(shape, window);
    const bits = windowBits(shape, window) - 1;
    for (let j = -1; j < bits; j++) {
      const bit = offset + Math.max(j, 0);
      lists[bit] ??= [];
      lists[bit].push(rows[row++]);
    }
  }
  return lists;
}
