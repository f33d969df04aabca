import type { GpuContext } from '../device/context.ts';
import { spentSeconds } from '../device/spent-seconds.ts';
import { uploadWords } from '../device/upload-words.ts';
import { anyElements } from '../field/any-elements.ts';
import { openPacedCommands } from './curve-commands.ts';
import { FP_BYTES, type PairRound } from './pair-round.ts';
import { openSplitRound } from './pair-round-split.ts';
import { arenaConstants, pairFormFor, type SplitForm } from './pair-tree-kernels.ts';
import { POINT_BYTES } from './point-segments.ts';

/** Pairs of a round that fills the device, and of one so small that it is all latency. */
const PAIRS = { large: 2 ** 18, small: 256 };
const ROUNDS = 24;
const RUNS = 3;
const STATE_WORDS = 8;

/** What rounds of additions in G1 take on a device. */
export interface MeasuredRound {
  readonly additionsPerSecond: number;
  /** Seconds of a round however small it is. */
  readonly latencySeconds: number;
}

/** A round in passes of its own, over so many pairs; null where this kind of adapter has rounds in batches. */
interface OpenedRound {
  readonly pairs: number;
  readonly round: PairRound;
  take(sizeBytes: number, label: string): GPUBuffer;
  close(): void;
}

async function openRound(context: GpuContext, pairs: number): Promise<OpenedRound | null> {
  const form = pairFormFor(context.traits);
  if (form.round.sums !== 'split') return null;
  const taken: GPUBuffer[] = [];
  const take = (sizeBytes: number, label: string): GPUBuffer => {
    const buffer = context.buffers.take('scratch', sizeBytes, `tuning ${label}`);
    taken.push(buffer);
    return buffer;
  };
  const constants = arenaConstants('g1', form);
  const split: SplitForm = form.round;
  const round = await openSplitRound({ context, group: 'g1', pairs, constants, take }, split);
  const close = (): void => {
    for (const buffer of taken) context.buffers.drop(buffer);
  };
  return { pairs, round, take, close };
}

/** Compiles the pipelines that measureRound times, side by side. */
export async function compileRound(context: GpuContext): Promise<void> {
  const opened = await openRound(context, 1);
  opened?.close();
}

/**
 * Times rounds of additions as an MSM has them, without their plans and without what pairs that look alike take: four
 * pipelines, where all of a pair tree's are fifteen. Null for rounds in batches, of which nothing is tuned.
 */
export async function measureRound(
  context: GpuContext,
  { large, small }: typeof PAIRS = PAIRS,
): Promise<MeasuredRound | null> {
  const largeSeconds = await secondsOfRound(context, large);
  const latencySeconds = await secondsOfRound(context, small);
  if (largeSeconds === null || latencySeconds === null) return null;
  return { additionsPerSecond: large / largeSeconds, latencySeconds };
}

/** The best of a few runs after the first one. */
async function secondsOfRound(context: GpuContext, pairs: number): Promise<number | null> {
  const opened = await openRound(context, pairs);
  if (opened === null) return null;
  const { round, take } = opened;
  // any coordinates below 2^376 will do: the formulas of an addition do not ask whether a point is on the curve
  const coordinates = (2 * pairs * POINT_BYTES.g1) / FP_BYTES;
  const upload = (words: Uint32Array<ArrayBuffer>): GPUBuffer =>
    uploadWords(context, 'scratch', words, 'tuning');
  const inputs = {
    points: upload(anyElements(coordinates, FP_BYTES / 4)),
    pairs: upload(Uint32Array.from({ length: 2 * pairs }, (_, i) => i)),
    // as a plan leaves it (kernels/curve/pair-reference.wgsl)
    state: upload(Uint32Array.from({ length: STATE_WORDS }, (_, i) => (i === 0 ? pairs : 0))),
  };
  const bindings = {
    ...inputs,
    arenaX: take(pairs * FP_BYTES, 'arena x'),
    arenaY: take(pairs * FP_BYTES, 'arena y'),
    alike: take(pairs * 4, 'alike'),
  };
  const commands = openPacedCommands(context, { phase: 'tuning' });
  const run = async (): Promise<void> => {
    for (let i = 0; i < ROUNDS; i++) {
      round.record(commands, bindings, pairs, round.params(pairs, 0));
    }
    await commands.flush();
  };
  try {
    await run();
    let best = Number.POSITIVE_INFINITY;
    for (let i = 0; i < RUNS; i++) best = Math.min(best, await spentSeconds(context, run));
    return best / ROUNDS;
  } finally {
    opened.close();
    for (const buffer of Object.values(inputs)) context.buffers.drop(buffer);
  }
}
