import type { CircuitShape } from '@cuzk/core/r1cs/shape';
import type { CurveRun } from '../curve/curve-commands.ts';
import { POINT_BYTES, segmentPointsFor } from '../curve/point-segments.ts';
import type { DeviceTraits } from '../device/context.ts';
import { ringBytesFor } from '../device/staging-ring.ts';
import { planMsm } from '../msm/msm-plan.ts';
import { type MemoryPlan, planMemory } from '../prover/memory-plan.ts';
import { msmBytes } from '../prover/scratch-bytes.ts';
import type { Holding, PlannedCircuit } from './holding.ts';
import type { BesideH } from './query-pass.ts';
import {
  hCount,
  mostOf,
  peakBeside,
  peaksOf,
  peakWithReuse,
  residentBytesOf,
  type StreamPeaks,
} from './stream-memory.ts';

/** How a circuit is proved whose SRS does not fit the device. */
export interface StreamPlan extends Holding {
  /** Whether the MSM of h works in memory of the vector that it does not need: nothing is made anew for a proof. */
  readonly reuse: boolean;
  /**
   * For one partition that waits, two and so on: how the queries pass beside h. Where more wait they pass first, for
   * larger pieces are worth more then.
   */
  readonly beside: readonly BesideH[];
  /** What stays on the device between proofs. */
  readonly residentBytes: number;
  readonly peakBytes: Readonly<StreamPeaks>;
  /** Bytes of the file that pass for a partition, where `waiting` of them wait and where one does. */
  readonly streamedBytes: { readonly each: number; readonly alone: number };
}

/** The most that proofs with a plan take of the pool, beside what stays of this circuit and others. */
export const workingBytes = (
  { peakBytes, residentBytes }: StreamPlan,
  traits: DeviceTraits,
): number => mostOf(peakBytes) - residentBytes - ringBytesFor(traits);

/** A worker holds no more witnesses than a proof of ten partitions has. */
const MOST_WAITING = 10;
/** Sizes of pieces that are tried: halves of halves of what a binding holds. */
const PIECE_SIZES = 7;
/** Numbers of entries that are tried, from twice what a binding holds down. */
const ENTRY_SIZES = 5;
/** Measured on an H200: bytes a second that come from page cache through mapped staging buffers, */
const STREAM_RATE = 20 * 2 ** 30;
/** seconds that the host waits for an MSM, and that the rounds over few points of a piece's sum take, */
const MSM_SECONDS = 0.012;
const SELECTED_SECONDS = 0.0007;
/** that a byte of points takes to be decoded, and to be added for one witness, */
const DECODING_SECONDS = 0.02 / 2 ** 30;
const ADDING_SECONDS = 0.005 / 2 ** 30;
/** and seconds of destroying and making a byte. */
const RENEWAL_SECONDS = 0.043 / 2 ** 30;

/**
 * An MSM beside which points come from the file: they wait for what was submitted before them, so submits are short,
 * some 2.5 ms on a large GPU, and the ring of staging buffers bridges three of them at 20 GiB/s.
 */
export const besideStream = ({ software }: DeviceTraits, run: CurveRun): CurveRun =>
  software ? run : { ...run, budget: 2 ** 26 };

/**
 * The fastest way to prove with `budgetBytes` of device memory by streaming, or undefined where nothing fits. What
 * stays is worth most where it is h, which passes for every partition; larger pieces and more entries make sums faster
 * and leave less room for it; the large tables of transforms come last.
 */
export function planStreaming(
  shape: CircuitShape,
  traits: DeviceTraits,
  budgetBytes: number,
): StreamPlan | undefined {
  const circuit = { shape, traits, memory: planMemory(shape, traits) };
  let best: { plan: StreamPlan; seconds: number } | undefined;
  for (const sizes of candidates(circuit)) {
    for (const reuse of [true, false]) {
      const plan = fill(circuit, sizes, reuse, budgetBytes);
      if (plan === undefined) continue;
      const seconds = estimateSeconds(circuit, plan, budgetBytes);
      if (best === undefined || seconds < best.seconds) best = { plan, seconds };
    }
  }
  return best === undefined ? undefined : withBeside(circuit, best.plan, budgetBytes);
}

/** The least memory that any plan gets by with. */
export function leastStreamingBytes(shape: CircuitShape, traits: DeviceTraits): number {
  const circuit = { shape, traits, memory: planMemory(shape, traits) };
  const peaks = candidates(circuit).map((sizes) =>
    mostOf(peaksOf(circuit, { ...LEAST, ...sizes, waiting: 1 })),
  );
  return Math.ceil(Math.min(...peaks));
}

/** Beside sizes. */
const LEAST = { residentPoints: 0, largeTables: false, waiting: 0 };

type Sizes = Pick<Holding, 'piecePoints' | 'segmentPoints' | 'msmEntries'>;

function candidates({ traits, memory }: PlannedCircuit): Sizes[] {
  const domain = Math.ceil(Math.log2(hCount(memory) + 1));
  const most = Math.min(Math.log2(segmentPointsFor(traits, 'g1')), domain);
  const downFrom = (log: number, length: number): number[] =>
    Array.from({ length: Math.min(length, log) }, (_, i) => log - i);
  return downFrom(most, PIECE_SIZES).flatMap((log) =>
    downFrom(most + 1, ENTRY_SIZES).map((logEntries) => ({
      piecePoints: {
        g1: 2 ** log,
        g2: Math.min(2 ** (log - 1), segmentPointsFor(traits, 'g2')),
      },
      // an MSM takes one window of a segment at least
      segmentPoints: 2 ** Math.min(logEntries, most),
      msmEntries: 2 ** logEntries,
    })),
  );
}

/** As many witnesses as fit, then as much of h, then the tables. */
function fill(
  circuit: PlannedCircuit,
  sizes: Sizes,
  reuse: boolean,
  budgetBytes: number,
): StreamPlan | undefined {
  const { memory } = circuit;
  const overBy = (holding: Holding): number => {
    const peaks = peaksOf(circuit, holding);
    const most = reuse
      ? Math.max(peaks.load, peaks.queries, peakWithReuse(circuit, holding, budgetBytes))
      : mostOf(peaks);
    return most - budgetBytes;
  };
  let holding: Holding = { ...LEAST, ...sizes, waiting: MOST_WAITING };
  while (holding.waiting > 0 && mostOf(peaksOf(circuit, holding)) > budgetBytes) {
    holding = { ...holding, waiting: holding.waiting - 1 };
  }
  if (holding.waiting < 1) return undefined;
  const residentPoints = mostResidentPoints(hCount(memory), sizes.piecePoints.g1, (points) =>
    overBy({ ...holding, residentPoints: points }),
  );
  holding = { ...holding, residentPoints };
  if (overBy(holding) > 0) return undefined;
  const largeTables = overBy({ ...holding, largeTables: true }) <= 0;
  holding = { ...holding, largeTables };
  const peaks = peaksOf(circuit, holding);
  const queries = queryBytesOf(memory);
  const passingH = (hCount(memory) - residentPoints) * POINT_BYTES.g1;
  return {
    ...holding,
    reuse,
    beside: [],
    residentBytes: residentBytesOf(holding, memory),
    peakBytes: reuse ? { ...peaks, msmH: peakWithReuse(circuit, holding, budgetBytes) } : peaks,
    streamedBytes: { each: queries / holding.waiting + passingH, alone: queries + passingH },
  };
}

/** The plan with queries beside h for as few partitions as gain by it, where there is memory for that. */
function withBeside(circuit: PlannedCircuit, plan: StreamPlan, budgetBytes: number): StreamPlan {
  const beside: BesideH[] = [];
  let most = 0;
  // memory that is destroyed for a vector would have to be waited for
  while (plan.reuse && beside.length < plan.waiting) {
    const waiting = beside.length + 1;
    const peakOf = (sizes: BesideH): number =>
      peakBeside(circuit, plan, sizes, waiting, budgetBytes);
    const sizes = besideSizes(circuit, plan).find(
      (each) => gainsBeside(circuit, each, waiting) && peakOf(each) <= budgetBytes,
    );
    if (sizes === undefined) break;
    beside.push(sizes);
    most = Math.max(most, peakOf(sizes));
  }
  return { ...plan, beside, peakBytes: { ...plan.peakBytes, beside: most } };
}

/** From the fastest on. */
function besideSizes({ traits }: PlannedCircuit, plan: StreamPlan): BesideH[] {
  const log = Math.log2(plan.piecePoints.g1);
  const logs = Array.from({ length: Math.min(PIECE_SIZES, log) }, (_, i) => log - i);
  return logs.flatMap((each) =>
    [1, 2, 4].map((part) => ({
      piecePoints: {
        g1: 2 ** each,
        g2: Math.min(2 ** (each - 1), segmentPointsFor(traits, 'g2')),
      },
      msmEntries: plan.msmEntries / part,
    })),
  );
}

/** Whether smaller pieces take the device less time than it has to spare while queries pass alone. */
function gainsBeside(
  { memory }: PlannedCircuit,
  { piecePoints }: BesideH,
  waiting: number,
): boolean {
  const bytes = queryBytesOf(memory);
  const lateRounds = (points: number): number =>
    (bytes / (points * POINT_BYTES.g1)) * SELECTED_SECONDS;
  const spare = bytes / STREAM_RATE - bytes * (DECODING_SECONDS + waiting * ADDING_SECONDS);
  return spare > waiting * lateRounds(piecePoints.g1);
}

/** Of l, a, bG1 and bG2 in the file. */
function queryBytesOf({ srs, tailCount }: MemoryPlan): number {
  const { l, a, bG1, bG2 } = srs;
  return l + a + bG1 + bG2 - tailCount * (3 * POINT_BYTES.g1 + POINT_BYTES.g2);
}

/** All of h, or as many pieces as fit. */
function mostResidentPoints(
  all: number,
  piecePoints: number,
  overBy: (points: number) => number,
): number {
  if (overBy(all) <= 0) return all;
  let pieces = Math.floor(all / piecePoints);
  while (pieces > 0) {
    const over = overBy(pieces * piecePoints);
    if (over <= 0) break;
    pieces = Math.max(0, pieces - Math.ceil(over / (piecePoints * POINT_BYTES.g1)));
  }
  return pieces * piecePoints;
}

/** Of one partition where as many wait as may; only for comparing plans. */
function estimateSeconds(
  { traits, memory }: PlannedCircuit,
  plan: StreamPlan,
  budgetBytes: number,
): number {
  const { piecePoints, segmentPoints, residentPoints, msmEntries: maxEntries } = plan;
  const msm = (count: number, segment: number): number =>
    planMsm(count, traits, 'g1', { maxEntries }, segment).seconds + MSM_SECONDS;
  const passing = hCount(memory) - residentPoints;
  const sums =
    (residentPoints === 0 ? 0 : msm(residentPoints, segmentPoints)) +
    Math.ceil(passing / piecePoints.g1) * msm(piecePoints.g1, piecePoints.g1);
  const pieceBytes = piecePoints.g1 * POINT_BYTES.g1;
  const queryBytes = plan.streamedBytes.each - passing * POINT_BYTES.g1;
  const queries =
    queryBytes / STREAM_RATE + ((queryBytes * plan.waiting) / pieceBytes) * SELECTED_SECONDS;
  const { quotient } = plan.peakBytes;
  const scratch = msmBytes(residentPoints || piecePoints.g1, 1, 'g1', traits, maxEntries);
  const renewed = plan.reuse ? 0 : Math.max(0, quotient + scratch - budgetBytes);
  return (
    queries +
    Math.max(sums, (passing * POINT_BYTES.g1) / STREAM_RATE) +
    2 * renewed * RENEWAL_SECONDS
  );
}
