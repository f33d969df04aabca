import { u32Const } from '../device/kernel.ts';
import { FP_BYTES, type PairRound, type RoundInput } from './pair-round.ts';
import { type BatchesForm, inverseConstants } from './pair-tree-kernels.ts';
import type { CurveGroup } from './point-segments.ts';

/** Elements kept of a pair between the two ways of a batch: the product before it, over G2 its norm too. */
const KEPT = { g1: 1, g2: 2 } as const;

const workgroupsFor = (pairs: number, { leastPairs, maxWorkgroups }: BatchesForm): number =>
  Math.min(maxWorkgroups, Math.max(1, Math.ceil(pairs / leastPairs)));

/** What a round of at most `pairs` pairs keeps between the two ways of its batches. */
export const batchesBytes = (group: CurveGroup, pairs: number, form: BatchesForm): number =>
  workgroupsFor(pairs, form) * form.workgroupSize * form.pairsPerInversion * KEPT[group] * FP_BYTES;

/** The round in one kernel (kernels/curve/pair-batches.wgsl). */
export async function openBatchesRound(input: RoundInput, form: BatchesForm): Promise<PairRound> {
  const { context, group } = input;
  const { workgroupSize, pairsPerInversion, leastPairs } = form;
  const kernel = await context.kernels.get({
    file: `curve/pair-batches-${group}.wgsl`,
    bindings: 'rwwwwwwu',
    workgroupSize,
    constants: {
      ...input.constants,
      ...inverseConstants(context),
      STEPS: u32Const(pairsPerInversion),
      LEAST_PAIRS: u32Const(leastPairs),
      PRODUCT: u32Const((KEPT[group] * FP_BYTES) / 16),
    },
  });
  const products = input.take(batchesBytes(group, input.pairs, form), 'products');
  return {
    params: (arenaPoints, baseStart) => [arenaPoints, 0, 0, 0, baseStart, 0, 1],
    record: (commands, { points, arenaX, arenaY, pairs, state, alike }, count, params) => {
      commands.dispatch(
        kernel,
        [points, arenaX, arenaY, pairs, products, state, alike],
        workgroupsFor(count, form),
        params,
      );
    },
  };
}
