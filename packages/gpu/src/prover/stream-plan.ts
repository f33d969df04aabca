import type { CircuitShape } from '@cuzk/core/r1cs/shape';
import type { CurveRun } from '../curve/curve-commands.ts';
import { decoderBytes } from '../curve/point-decode.ts';
import { type CurveGroup, POINT_BYTES, segmentPointsFor } from '../curve/point-segments.ts';
import { streamBytes } from '../curve/point-stream.ts';
import type { DeviceTraits } from '../device/context.ts';
import { planMsm } from '../msm/msm-plan.ts';
import { type Pieces, piecesFor } from '../msm/sum-selected.ts';
import { type MemoryPlan, planMemory } from './memory-plan.ts';
import { msmBytes, selectedBytes } from './scratch-bytes.ts';

/** How a circuit is proved whose SRS does not fit the device. */
export interface StreamPlan {
  /** Points that come to the device at once, powers of two. */
  readonly piecePoints: Readonly<Record<CurveGroup, number>>;
  /** The first pieces of h, which stay there. */
  readonly residentPieces: number;
  /** Entries that an MSM sorts at once. */
  readonly msmEntries: number;
  /** Whether transforms have their large tables. */
  readonly largeTables: boolean;
  /** Partitions whose witnesses are held, and for which the queries pass once. */
  readonly waiting: number;
  /** Most device memory, by what is done. */
  readonly peakBytes: Readonly<StreamPeaks>;
  /** Bytes of the file that pass for a partition, where `waiting` of them wait and where one does. */
  readonly streamedBytes: { readonly each: number; readonly alone: number };
}

export interface StreamPeaks {
  /** l, a, bG1 and bG2 pass; their tails are summed. */
  readonly queries: number;
  readonly quotient: number;
  /** The MSM of h, with one vector of the evaluation domain. */
  readonly msmH: number;
}

/** A worker holds no more witnesses than a proof of ten partitions has. */
const MOST_WAITING = 10;
/** Sizes of pieces that are tried: halves of halves of what a binding holds. */
const PIECE_SIZES = 7;
const LOG_MOST_ENTRIES = 25;
/** Bytes a second that come from page cache through mapped staging buffers; measured on an H200. */
const STREAM_RATE = 20 * 2 ** 30;
/** Seconds of an addition, and of the waits of an MSM; measured on an H200. */
const ADDITION_SECONDS = 7e-10;
const MSM_SECONDS = 0.012;
/** What six transforms lose without their large tables; measured on an H200. */
const SMALL_TABLES_SECONDS = 0.06;
const FR_BYTES = 32;

/** How points of a passing piece are selected: less at once than where all are there. */
export const streamPieces = (traits: DeviceTraits): Pieces =>
  traits.software
    ? piecesFor(traits)
    : { chunkWords: 2 ** 19, references: 2 ** 22, leftOver: 2 ** 15, late: 2 ** 15 };

/**
 * A run beside which points come from the file: they wait for what was submitted before them, so submits are short, some
 * 9 ms on a large GPU, and a ring of staging buffers bridges three of them.
 */
export const streamRun = (
  { software }: DeviceTraits,
  phase: string,
  signal: AbortSignal | undefined,
): CurveRun => ({
  phase,
  ...(signal === undefined ? {} : { signal }),
  ...(software ? {} : { budget: 2 ** 28 }),
});

/**
 * The fastest way to prove with `budgetBytes` of device memory by streaming, or undefined where nothing fits: larger
 * pieces and more entries make sums faster, and leave less room for pieces of h that stay.
 */
export function planStreaming(
  shape: CircuitShape,
  traits: DeviceTraits,
  budgetBytes: number,
): StreamPlan | undefined {
  const memory = planMemory(shape, traits);
  let best: { plan: StreamPlan; seconds: number } | undefined;
  for (const candidate of candidates(traits, memory)) {
    const plan = fill(candidate, shape, memory, traits, budgetBytes);
    if (plan === undefined) continue;
    const seconds = estimateSeconds(plan, memory, traits);
    if (best === undefined || seconds < best.seconds) best = { plan, seconds };
  }
  return best?.plan;
}

/** What stays on the device between proofs. */
export const residentBytesOf = (
  { residentPieces, piecePoints, largeTables }: StreamPlan,
  { shapeBytes, tableBytes, tailCount, srs }: MemoryPlan,
): number =>
  shapeBytes -
  (largeTables ? 0 : tableBytes) +
  tailIndexBytes(tailCount) +
  Math.min(srs.h, residentPieces * piecePoints.g1 * POINT_BYTES.g1);

/** The least memory that any plan gets by with. */
export function leastStreamingBytes(shape: CircuitShape, traits: DeviceTraits): number {
  const memory = planMemory(shape, traits);
  const peaks = candidates(traits, memory).map((candidate) =>
    Math.max(...Object.values(peaksOf(candidate, shape, memory, traits))),
  );
  return Math.ceil(Math.min(...peaks) + memory.oneWitnessBytes);
}

interface Candidate {
  readonly piecePoints: StreamPlan['piecePoints'];
  readonly msmEntries: number;
  readonly largeTables: boolean;
}

function candidates(traits: DeviceTraits, { srs }: MemoryPlan): Candidate[] {
  const domain = Math.ceil(Math.log2(srs.h / POINT_BYTES.g1));
  const most = Math.min(Math.log2(segmentPointsFor(traits, 'g1')), domain);
  const logs = Array.from({ length: Math.min(PIECE_SIZES, most) }, (_, i) => most - i);
  return logs.flatMap((log) => {
    const g2 = Math.min(2 ** (log - 1), segmentPointsFor(traits, 'g2'));
    const entries = new Set([log, log + 1, Math.max(log, LOG_MOST_ENTRIES)]);
    return [...entries].flatMap((logEntries) =>
      [true, false].map((largeTables) => ({
        piecePoints: { g1: 2 ** log, g2 },
        msmEntries: 2 ** logEntries,
        largeTables,
      })),
    );
  });
}

/** Of l, a and b. */
const tailIndexBytes = (tailCount: number): number => 3 * tailCount * 4;

/** Without witnesses. */
function peaksOf(
  { piecePoints, msmEntries, largeTables }: Candidate,
  shape: CircuitShape,
  memory: MemoryPlan,
  traits: DeviceTraits,
): StreamPeaks {
  const { evaluationBytes, tailCount } = memory;
  const tables = largeTables ? 0 : memory.tableBytes;
  const always = memory.shapeBytes - tables + tailIndexBytes(tailCount);
  const passing = (group: CurveGroup): number =>
    streamBytes(group, piecePoints[group]) + decoderBytes(traits);
  const query = (group: CurveGroup): number => {
    const points = piecePoints[group];
    const size = { arrays: 1, points, bits: shape.aux };
    return (
      tailCount * POINT_BYTES[group] +
      Math.max(
        passing(group) + selectedBytes(traits, group, size, streamPieces(traits)),
        msmBytes(tailCount, 1, group, traits, msmEntries),
      )
    );
  };
  const piece = piecePoints.g1;
  return {
    queries: always + Math.max(query('g1'), query('g2')),
    quotient: always + evaluationBytes,
    msmH:
      always +
      evaluationBytes / 2 +
      passing('g1') +
      piece * FR_BYTES +
      msmBytes(piece, 1, 'g1', traits, msmEntries),
  };
}

/** As many witnesses as fit, then as much of h. */
function fill(
  candidate: Candidate,
  shape: CircuitShape,
  memory: MemoryPlan,
  traits: DeviceTraits,
  budgetBytes: number,
): StreamPlan | undefined {
  const peaks = peaksOf(candidate, shape, memory, traits);
  const free = budgetBytes - Math.max(...Object.values(peaks));
  const waiting = Math.min(MOST_WAITING, Math.floor(free / memory.oneWitnessBytes));
  if (waiting < 1) return undefined;
  const witnessBytes = waiting * memory.oneWitnessBytes;
  const pieceBytes = candidate.piecePoints.g1 * POINT_BYTES.g1;
  const all = Math.ceil(memory.srs.h / pieceBytes);
  const residentPieces = Math.min(all, Math.floor((free - witnessBytes) / pieceBytes));
  const residentBytes = residentPieces * pieceBytes + witnessBytes;
  const { h, l, a, bG1, bG2 } = memory.srs;
  const tails = memory.tailCount * (3 * POINT_BYTES.g1 + POINT_BYTES.g2);
  const queries = l + a + bG1 + bG2 - tails;
  const passingH = Math.max(0, h - residentPieces * pieceBytes);
  return {
    ...candidate,
    waiting,
    residentPieces,
    peakBytes: {
      queries: peaks.queries + residentBytes,
      quotient: peaks.quotient + residentBytes,
      msmH: peaks.msmH + residentBytes,
    },
    streamedBytes: { each: queries / waiting + passingH, alone: queries + passingH },
  };
}

/** Of one partition where as many wait as may; only for comparing plans. */
function estimateSeconds(plan: StreamPlan, { srs }: MemoryPlan, traits: DeviceTraits): number {
  const { g1 } = plan.piecePoints;
  const pieces = Math.ceil(srs.h / POINT_BYTES.g1 / g1);
  const { additions } = planMsm(g1, traits, 'g1', { maxEntries: plan.msmEntries });
  const sums = pieces * (additions * ADDITION_SECONDS + MSM_SECONDS);
  const passingH = srs.h - plan.residentPieces * g1 * POINT_BYTES.g1;
  const queries = (plan.streamedBytes.each - passingH) / STREAM_RATE;
  const tables = plan.largeTables ? 0 : SMALL_TABLES_SECONDS;
  return queries + tables + Math.max(sums, passingH / STREAM_RATE);
}
