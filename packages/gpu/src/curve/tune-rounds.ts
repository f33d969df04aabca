import type { GpuContext, RoundTuning } from '../device/context.ts';
import { spentSeconds } from '../device/spent-seconds.ts';
import { type CurveRun, openPacedCommands } from './curve-commands.ts';
import { openPairTree } from './pair-tree.ts';
import { sumEqualGroups } from './pair-tree-equal.ts';
import { type PairForm, pairFormFor, tunedForm } from './pair-tree-kernels.ts';
import { POINT_BYTES } from './point-segments.ts';

/** Pairs of a round that fills the device, and rounds of one run. */
const LARGE = { pairs: 2 ** 18, rounds: 24 };
/** A round so small that it is all latency. */
const SMALL = { pairs: 256, rounds: 24 };
const WARM_MS = 300;
const WORKGROUPS = [64, 128, 256];
const PAIRS_PER_THREAD = [16, 32, 64];
const run: CurveRun = { phase: 'tuning' };

export interface MeasuredRound extends RoundTuning {
  readonly additionsPerSecond: number;
}

/**
 * Additions a second of candidate layouts; the one that is used without tuning comes first. None for a round in batches:
 * another workgroup is another pipeline, which a software adapter takes seconds to compile, for processors that are all
 * alike.
 */
export async function measureRounds(
  context: GpuContext,
  size: typeof LARGE = LARGE,
): Promise<MeasuredRound[]> {
  const usual = pairFormFor(context);
  if (usual.round.sums !== 'split') return [];
  const points = await takePoints(context, size.pairs);
  const measured: MeasuredRound[] = [];
  const measure = async (tuning: RoundTuning): Promise<void> => {
    if (measured.some((each) => sameLayout(each, tuning))) return;
    const seconds = await secondsOfRounds(context, points, tunedForm(usual, tuning), size);
    measured.push({ ...tuning, additionsPerSecond: size.pairs / seconds });
  };
  try {
    const { workgroupSize, pairsPerThread } = usual.round;
    await measure({ workgroupSize, pairsPerThread });
    const most = context.traits.workgroupInvocations;
    for (const workgroup of WORKGROUPS.filter((each) => each <= most)) {
      await measure({ workgroupSize: workgroup, pairsPerThread });
    }
    const best = fastestRound(measured).workgroupSize;
    for (const pairs of PAIRS_PER_THREAD) {
      await measure({ workgroupSize: best, pairsPerThread: pairs });
    }
    return measured;
  } finally {
    context.buffers.drop(points);
  }
}

const sameLayout = (x: RoundTuning, y: RoundTuning): boolean =>
  x.workgroupSize === y.workgroupSize && x.pairsPerThread === y.pairsPerThread;

/** Less than this is within the spread of one measurement: the usual layout, which comes first, stays. */
const WORTHWHILE = 1.1;

export const fastestRound = (measured: readonly MeasuredRound[]): MeasuredRound =>
  measured.reduce((best, each) =>
    each.additionsPerSecond > WORTHWHILE * best.additionsPerSecond ? each : best,
  );

/** Seconds that a round takes whatever its size. */
export async function measureRoundLatency(context: GpuContext): Promise<number> {
  const points = await takePoints(context, SMALL.pairs);
  try {
    return await secondsOfRounds(context, points, pairFormFor(context), SMALL);
  } finally {
    context.buffers.drop(points);
  }
}

/** Any coordinates below 2^376 will do: the formulas of an addition do not ask whether a point is on the curve. */
async function takePoints(context: GpuContext, pairs: number): Promise<GPUBuffer> {
  const words = Uint32Array.from({ length: (2 * pairs * POINT_BYTES.g1) / 4 }, (_, i) =>
    i % 12 === 11 ? i & 0xffff : Math.imul(i + 1, 0x9e3779b1) >>> 0,
  );
  const buffer = context.buffers.take('scratch', words.byteLength, 'tuning');
  context.device.queue.writeBuffer(buffer, 0, words);
  return buffer;
}

/** The best of a few runs of rounds, seconds for each. */
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
    // the first run compiles, and a card that waited for that has a low clock for a while
    let warmFrom = Number.POSITIVE_INFINITY;
    for (let i = 0; i < 3 || performance.now() - warmFrom < WARM_MS; i++) {
      const seconds = await spentSeconds(context, async () => {
        for (let round = 0; round < rounds; round++) {
          await sumEqualGroups(tree, commands, { points, start: 0 }, all, { target: pairs });
        }
        await commands.flush();
      });
      if (i === 0) warmFrom = performance.now();
      else best = Math.min(best, seconds / rounds);
    }
    return best;
  } finally {
    tree.close();
  }
}
