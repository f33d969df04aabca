import { g1WeightedWords, WORDS_MONTGOMERY_R } from '@cuzk/core/curve/g1-weighted-words';
import type { G1Affine, G2Affine } from '@cuzk/core/curve/points';
import { g1WeightedSum, g2WeightedSum } from '@cuzk/core/curve/weighted-sum';
import { type AffineOf, type CurveGroup, decodePoints } from '../curve/point-segments.ts';
import type { FieldVariants } from '../device/context.ts';
import { FP_VARIANTS } from '../field/field-variants.ts';
import { type WindowShape, windowBits, windowOffset } from './msm-plan.ts';

/**
 * The result from the folded buckets as a device stored them: `words` holds, window by window, the rows Σ B[k] and the
 * bit sums of pair-tree-fold.ts. 255 doublings and as many additions: on G1 in WebAssembly, 1.5 ms where plain
 * arithmetic takes 5, if the form of the words is the module's.
 */
export function finishMsm<G extends CurveGroup>(
  group: G,
  shape: WindowShape,
  variants: FieldVariants,
  words: Uint32Array,
): AffineOf<G> {
  const numbers = rowsByBit(shape);
  if (group === 'g1' && FP_VARIANTS[variants.fp].montgomeryR === WORDS_MONTGOMERY_R) {
    return g1WeightedWords(words, numbers) as AffineOf<G>;
  }
  const rows = decodePoints(variants, group, words);
  const lists = Array.from(numbers, (bit) => bit?.map((row) => rows[row]));
  const result =
    group === 'g1'
      ? g1WeightedSum(lists as G1Affine[][])
      : g2WeightedSum(lists as (G2Affine[] | undefined)[]);
  return result as AffineOf<G>;
}

/** The weight of bucket k is k + 1, so the sum of all buckets counts once more at the window's lowest bit. */
function rowsByBit(shape: WindowShape): (number[] | undefined)[] {
  const lists: number[][] = [];
  let row = 0;
  for (let window = 0; window < shape.windows; window++) {
    const offset = windowOffset(shape, window);
    const bits = windowBits(shape, window) - 1;
    for (let j = -1; j < bits; j++) {
      const bit = offset + Math.max(j, 0);
      lists[bit] ??= [];
      lists[bit].push(row++);
    }
  }
  return lists;
}
