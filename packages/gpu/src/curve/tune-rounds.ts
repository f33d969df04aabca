import type { GpuContext, RoundTuning } from '../device/context.ts';
import { spentSeconds } from '../device/spent-seconds.ts';
import { uploadWords } from '../device/upload-words.ts';
import { anyElements } from '../field/any-elements.ts';
import { type CurveRun, openPacedCommands } from './curve-commands.ts';
import { FP_BYTES } from './pair-round.ts';
import { openPairTree } from './pair-tree.ts';
import { sumEqualGroups } from './pair-tree-equal.ts';
import { type PairForm, pairFormFor, tunedForm } from './pair-tree-kernels.ts';
import { POINT_BYTES } from './point-segments.ts';

/** Pairs of a round that fills the device, and rounds of one run. */
const LARGE = { pairs: 2 ** 18, rounds: 24 };
/** A round so small that it is all latency. */
const SMALL = { pairs: 256, rounds: 24 };
const RUNS = 4;
const PAIRS_PER_THREAD = [16, 32, 64];
const run: CurveRun = { phase: 'tuning' };

export interface MeasuredRound extends RoundTuning {
  readonly additionsPerSecond: number;
}

/**
 * Additions a second of candidate layouts; the one that is used without tuning comes first. None for a round in batches,
 * which has one layout. Workgroups are not varied: each size is six pipelines more, a second at the first start, and on
 * the GPU where that was measured 64, 128 and 256 invocations were within 2 %.
 */
export async function measureRounds(
  context: GpuContext,
  size: typeof LARGE = LARGE,
): Promise<MeasuredRound[]> {
  const usual = pairFormFor(context);
  if (usual.round.sums !== 'split') return [];
  const points = takePoints(context, size.pairs);
  const measured: MeasuredRound[] = [];
  const { workgroupSize, pairsPerThread } = usual.round;
  try {
    for (const pairs of new Set([pairsPerThread, ...PAIRS_PER_THREAD])) {
      const tuning: RoundTuning = { workgroupSize, pairsPerThread: pairs };
      const seconds = await secondsOfRounds(context, points, tunedForm(usual, tuning), size);
      measured.push({ ...tuning, additionsPerSecond: size.pairs / seconds });
    }
    return measured;
  } finally {
    context.buffers.drop(points);
  }
}

/** Compiles the pipelines of a round, side by side. */
export async function compileRounds(context: GpuContext): Promise<void> {
  const usual = pairFormFor(context);
  if (usual.round.sums !== 'split') return;
  const tree = await openPairTree(context, 'g1', { elements: 2, arenaPoints: 1, groups: 1 }, usual);
  tree.close();
}

/** Less than this is within the spread of one measurement: the usual layout, which comes first, stays. */
const WORTHWHILE = 1.1;

export const fastestRound = (measured: readonly MeasuredRound[]): MeasuredRound =>
  measured.reduce((best, each) =>
    each.additionsPerSecond > WORTHWHILE * best.additionsPerSecond ? each : best,
  );

/** Seconds that a round takes whatever its size. */
export async function measureRoundLatency(context: GpuContext): Promise<number> {
  const points = takePoints(context, SMALL.pairs);
  try {
    return await secondsOfRounds(context, points, pairFormFor(context), SMALL);
  } finally {
    context.buffers.drop(points);
  }
}

/** Any coordinates below 2^376 will do: the formulas of an addition do not ask whether a point is on the curve. */
function takePoints(context: GpuContext, pairs: number): GPUBuffer {
  const coordinates = (2 * pairs * POINT_BYTES.g1) / FP_BYTES;
  return uploadWords(context, 'scratch', anyElements(coordinates, FP_BYTES / 4), 'tuning');
}

/** The best of a few runs of rounds after the first one; seconds for each round. */
async function secondsOfRounds(
  context: GpuContext,
  points: GPUBuffer,
  form: PairForm,
  { pairs, rounds }: typeof LARGE,
): Promise<number> {
  const size = { elements: 2 * pairs, arenaPoints: pairs, groups: 1 };
  const tree = await openPairTree(context, 'g1', size, form);
  const commands = openPacedCommands(context, run);
  const all = { list: undefined, start: 0, groups: 1, size: 2 * pairs };
  let best = Number.POSITIVE_INFINITY;
  try {
    for (let i = 0; i < RUNS; i++) {
      const seconds = await spentSeconds(context, async () => {
        for (let round = 0; round < rounds; round++) {
          await sumEqualGroups(tree, commands, { points, start: 0 }, all, { target: pairs });
        }
        await commands.flush();
      });
      if (i > 0) best = Math.min(best, seconds / rounds);
    }
    return best;
  } finally {
    tree.close();
  }
}
