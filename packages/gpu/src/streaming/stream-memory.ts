import { FR_BYTES } from '@cuzk/core/field/fr';
import { decoderBytes } from '../curve/point-decode.ts';
import { type CurveGroup, POINT_BYTES } from '../curve/point-segments.ts';
import { type BufferClass, type BufferPool, createBufferPool } from '../device/buffer-pool.ts';
import { ringBytesFor } from '../device/staging-ring.ts';
import { frSegmentLength } from '../field/fr-vector.ts';
import type { MemoryPlan } from '../prover/memory-plan.ts';
import { msmBuffers, msmBytes, sumOf } from '../prover/scratch-bytes.ts';
import type { Holding, PlannedCircuit } from './holding.ts';
import { type BesideH, passAlone, passBeside, passingBytes, queryPassBytes } from './query-pass.ts';

/** Most device memory by what is done, what stays and the ring of the device included. Bytes. */
export interface StreamPeaks {
  /** Points are checked as they come. */
  readonly load: number;
  /** l, a, bG1 and bG2 pass; tails of one are summed while the next passes. */
  readonly queries: number;
  readonly quotient: number;
  /** The MSM of h, with one vector of the evaluation domain. */
  readonly msmH: number;
  /** Queries pass while the first partitions have their quotient and MSM of h; 0: they never do. */
  readonly beside: number;
}

export const mostOf = (peaks: StreamPeaks): number => Math.max(...Object.values(peaks));

/** Points of h in the file; the domain has one more. */
export const hCount = ({ srs }: MemoryPlan): number => srs.h / POINT_BYTES.g1 - 1;

/** Of the points of h that stay. */
export const residentHBytes = ({ residentPoints }: Pick<Holding, 'residentPoints'>): number =>
  residentPoints * POINT_BYTES.g1;

/** What stays on the device between proofs: programs, indices of tails for l, a and b, points of h. */
export function residentBytesOf(
  holding: Pick<Holding, 'residentPoints' | 'largeTables'>,
  { shapeBytes, tableBytes, tailCount }: MemoryPlan,
): number {
  const tables = holding.largeTables ? 0 : tableBytes;
  return shapeBytes - tables + 3 * tailCount * 4 + residentHBytes(holding);
}

/** Without memory of one thing in that of another, except from phase to phase. */
export function peaksOf({ shape, traits, memory }: PlannedCircuit, plan: Holding): StreamPeaks {
  const { piecePoints, segmentPoints, residentPoints } = plan;
  const stays = residentBytesOf(plan, memory) + ringBytesFor(traits);
  const proving = stays + plan.waiting * memory.oneWitnessBytes;
  const passing = (group: CurveGroup): number => passingBytes(traits, group, piecePoints);
  const check = (group: CurveGroup): number =>
    passing(group) +
    piecePoints[group] * FR_BYTES +
    msmBytes(piecePoints[group], 1, group, traits, plan.msmEntries);
  const queries = queryPassBytes({ shape, traits, memory }, passAlone(traits, plan), plan.waiting);
  const [resident, piece] = hBuffers({ shape, traits, memory }, plan).map(sumOf);
  return {
    load: stays + Math.max(check('g1'), check('g2'), resident + segmentPoints * FR_BYTES),
    queries: proving + queries,
    quotient: proving + memory.evaluationBytes,
    msmH:
      proving +
      memory.evaluationBytes / 2 +
      (residentPoints === hCount(memory) ? resident : passing('g1') + Math.max(resident, piece)),
    beside: 0,
  };
}

/**
 * For buffers of a few bytes that sizes leave out. Where memory is made for the last of them, a large buffer goes and
 * is made again, for every proof: an H200 takes 25 ms for each GiB.
 */
const SMALL_BYTES = 2 ** 20;

/** Beside queries only vectors are lent, so that what is in use does not depend on when which of them asks. */
export const reuseOf = (beside: boolean): 'evaluations' | 'any' => (beside ? 'evaluations' : 'any');

/**
 * The most memory of quotients and MSMs of h where the MSM's buffers may be larger ones of the vector that it does not
 * need (buffer-pool.ts): what is taken is taken here from a pool that makes nothing. `besideBytes` are in use all the
 * time. Bytes, as in StreamPeaks.
 */
export function peakWithReuse(
  circuit: PlannedCircuit,
  plan: Holding,
  budgetBytes: number,
  besideBytes = 0,
): number {
  const { traits, memory } = circuit;
  const ring = ringBytesFor(traits);
  const reuseLarger = reuseOf(besideBytes > 0);
  const bound = { limitBytes: budgetBytes - ring, reuseLarger };
  const pool = createBufferPool((size) => ({ size, label: '', destroy: () => {} }), bound);
  const take = takerOf(pool);
  const stays = residentBytesOf(plan, memory) + plan.waiting * memory.oneWitnessBytes;
  take([stays, SMALL_BYTES, besideBytes]);
  // each finds what those before it left
  for (let partition = 0; partition < plan.waiting; partition++) takeForProof(pool, circuit, plan);
  return pool.peakBytes + ring;
}

/** The most memory where queries pass beside the h of `waiting` partitions. Bytes, as in StreamPeaks. */
export function peakBeside(
  circuit: PlannedCircuit,
  plan: Holding,
  beside: BesideH,
  waiting: number,
  budgetBytes: number,
): number {
  const queries = queryPassBytes(circuit, passBeside(beside), waiting);
  const holding = { ...plan, msmEntries: beside.msmEntries, waiting };
  return peakWithReuse(circuit, holding, budgetBytes, queries);
}

/** Takes and gives what the quotient and the MSM of h of one proof take, in that order. */
export function takeForProof<B extends Planned>(
  pool: BufferPool<B>,
  circuit: PlannedCircuit,
  plan: Holding,
): void {
  const { traits, memory } = circuit;
  const take = takerOf(pool);
  const vector = memory.evaluationBytes / 2;
  const segment = Math.min(vector, FR_BYTES * frSegmentLength(traits));
  const segments = Array.from({ length: vector / segment }, () => segment);
  const passes = plan.residentPoints < hCount(memory);
  const chunk = decoderBytes(traits) / 2;
  const pieceBytes = plan.piecePoints.g1 * POINT_BYTES.g1;
  const h = take(segments, 'evaluations');
  take(segments, 'evaluations')();
  const stream = take(passes ? [pieceBytes, pieceBytes, chunk, chunk] : [], 'srs');
  for (const sizes of hBuffers(circuit, plan)) take(sizes)();
  stream();
  h();
}

/** Buffers of the MSM over the points of h that stay, and of one over a piece that passes. */
function hBuffers({ traits, memory }: PlannedCircuit, plan: Holding): [number[], number[]] {
  const { residentPoints, segmentPoints, piecePoints, msmEntries } = plan;
  return [
    residentPoints === 0
      ? []
      : msmBuffers(residentPoints, 1, 'g1', traits, msmEntries, segmentPoints),
    residentPoints === hCount(memory)
      ? []
      : msmBuffers(piecePoints.g1, 1, 'g1', traits, msmEntries, piecePoints.g1),
  ];
}

/** As far as a plan goes, a buffer. */
interface Planned {
  readonly size: number;
  label: string;
  destroy(): void;
}

/** Takes buffers of these sizes; returns what gives them back. */
const takerOf =
  <B extends Planned>(pool: BufferPool<B>) =>
  (sizes: readonly number[], kind: BufferClass = 'scratch'): (() => void) => {
    const taken = sizes.map((size) => pool.take(kind, size, ''));
    return () => {
      for (const buffer of taken) pool.give(buffer);
    };
  };
