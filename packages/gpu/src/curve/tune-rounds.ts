import type { GpuContext, RoundTuning } from '../device/context.ts';
import { type CurveRun, openPacedCommands } from './curve-commands.ts';
import { openPairTree } from './pair-tree.ts';
import { sumEqualGroups } from './pair-tree-equal.ts';
import { type PairForm, pairFormFor } from './pair-tree-kernels.ts';
import { POINT_BYTES } from './point-segments.ts';

/** Pairs of a round that fills the device, and of one so small that it is all latency. */
const LARGE = { software: 2 ** 13, hardware: 2 ** 18 };
const SMALL = 256;
const REPEATS = { software: 2, hardware: 24 };
const WORKGROUPS = [64, 128, 256];
const PAIRS_PER_THREAD = [16, 32, 64];
const run: CurveRun = { phase: 'tuning' };

export interface MeasuredRound extends RoundTuning {
  readonly additionsPerSecond: number;
}

/**
 * Additions a second of candidate layouts. Another workgroup is another pipeline, which a software adapter takes seconds
 * to compile: there only the pairs of a thread are tried. The layout that is used without tuning comes first.
 */
export async function measureRounds(context: GpuContext): Promise<MeasuredRound[]> {
  const usual = pairFormFor(context);
  const points = await takePoints(context);
  const measure = async (tuning: RoundTuning): Promise<MeasuredRound> => ({
    ...tuning,
    additionsPerSecond: await additionsPerSecond(context, points, { ...usual, ...tuning }),
  });
  try {
    const { workgroupSize, pairsPerThread } = usual;
    const measured = [await measure({ workgroupSize, pairsPerThread })];
    const most = context.traits.workgroupInvocations;
    const workgroups = context.traits.software ? [] : WORKGROUPS.filter((size) => size <= most);
    for (const size of workgroups) {
      if (size !== workgroupSize) {
        measured.push(await measure({ workgroupSize: size, pairsPerThread }));
      }
    }
    const best = fastestRound(measured).workgroupSize;
    for (const pairs of PAIRS_PER_THREAD) {
      if (pairs !== pairsPerThread) {
        measured.push(await measure({ workgroupSize: best, pairsPerThread: pairs }));
      }
    }
    return measured;
  } finally {
    context.buffers.drop(points);
  }
}

/** Less than this is within the spread of one measurement: the usual layout, which comes first, stays. */
const WORTHWHILE = 1.03;

export const fastestRound = (measured: readonly MeasuredRound[]): MeasuredRound =>
  measured.reduce((best, each) =>
    each.additionsPerSecond > WORTHWHILE * best.additionsPerSecond ? each : best,
  );

/** Seconds that a round takes whatever its size. */
export async function measureRoundLatency(context: GpuContext): Promise<number> {
  const points = await takePoints(context);
  try {
    return await secondsOfRounds(context, points, pairFormFor(context), SMALL);
  } finally {
    context.buffers.drop(points);
  }
}

async function additionsPerSecond(
  context: GpuContext,
  points: GPUBuffer,
  form: PairForm,
): Promise<number> {
  const pairs = context.traits.software ? LARGE.software : LARGE.hardware;
  return pairs / (await secondsOfRounds(context, points, form, pairs));
}

/** Any coordinates below 2^376 will do: the formulas of an addition do not ask whether a point is on the curve. */
async function takePoints(context: GpuContext): Promise<GPUBuffer> {
  const pairs = context.traits.software ? LARGE.software : LARGE.hardware;
  const words = Uint32Array.from({ length: (2 * pairs * POINT_BYTES.g1) / 4 }, (_, i) =>
    i % 12 === 11 ? i & 0xffff : Math.imul(i + 1, 0x9e3779b1) >>> 0,
  );
  const buffer = context.buffers.take('scratch', words.byteLength, 'tuning');
  context.device.queue.writeBuffer(buffer, 0, words);
  return buffer;
}

/** The best of a few runs of one round of `pairs` additions, many in a submit on hardware. */
async function secondsOfRounds(
  context: GpuContext,
  points: GPUBuffer,
  form: PairForm,
  pairs: number,
): Promise<number> {
  const repeats = context.traits.software ? REPEATS.software : REPEATS.hardware;
  const size = { elements: 2 * pairs, arenaPoints: pairs, groups: 1 };
  const tree = await openPairTree(context, 'g1', size, form);
  const commands = openPacedCommands(context, run);
  let best = Number.POSITIVE_INFINITY;
  try {
    for (let i = 0; i < 3; i++) {
      await context.timer.collect();
      const startedAt = performance.now();
      for (let repeat = 0; repeat < repeats; repeat++) {
        await sumEqualGroups(
          tree,
          commands,
          { points, start: 0 },
          { list: undefined, start: 0, groups: 1, size: 2 * pairs },
          { target: pairs },
        );
      }
      await commands.flush();
      const wallSeconds = (performance.now() - startedAt) / 1000;
      const phases = await context.timer.collect();
      const timed = phases.every(({ source }) => source === 'timestamps');
      const seconds = timed ? phases.reduce((sum, each) => sum + each.seconds, 0) : wallSeconds;
      // the first run may compile
      if (i > 0) best = Math.min(best, seconds / repeats);
    }
    return best;
  } finally {
    tree.close();
  }
}
