import { g1Sum, g2Sum } from '@cuzk/core/curve/msm';
import type { G1Affine, G2Affine } from '@cuzk/core/curve/points';
import type { QuerySums } from '@cuzk/core/groth16/assemble';
import { type CurveRun, openPacedCommands } from '../curve/curve-commands.ts';
import { recordGather } from '../curve/point-convert-gather.ts';
import { bitOfRank, placeKernel } from '../curve/point-convert-place.ts';
import {
  type AffineOf,
  allocatePoints,
  type CurveGroup,
  type PointSegments,
  releaseSegments,
} from '../curve/point-segments.ts';
import type { PointStream, StreamedPiece } from '../curve/point-stream.ts';
import type { GpuContext } from '../device/context.ts';
import { runTogether } from '../device/run-together.ts';
import { msm } from '../msm/msm.ts';
import { planMsm } from '../msm/msm-plan.ts';
import { type ArrayPiece, type SelectedBases, sumSelected } from '../msm/sum-selected.ts';
import type { Selection } from '../msm/sum-selected-density.ts';
import type { DeviceWitness } from '../r1cs/device-witness.ts';
import type { CompactedQuery } from './query-layout.ts';
import { streamPieces } from './stream-memory.ts';

/** A query vector that is streamed. */
export interface StreamedQuery<G extends CurveGroup = CurveGroup> {
  readonly stream: PointStream<G>;
  /** Where not every aux has a base. */
  readonly compacted?: CompactedQuery & { readonly selection: Selection };
  readonly tailCount: number;
  /** Entries that the MSM of a tail sorts at once. */
  readonly msmEntries: number;
  /** Index in the vector of each tail scalar's base, or NO_POINT. */
  readonly tail: GPUBuffer;
}

export interface StreamedQueries {
  readonly l: StreamedQuery<'g1'>;
  readonly a: StreamedQuery<'g1'>;
  readonly bG1: StreamedQuery<'g1'>;
  readonly bG2: StreamedQuery<'g2'>;
  /** Witnesses that are added up side by side. */
  readonly abreast: number;
}

/**
 * The query sums of several witnesses, in one pass over l, a, bG1 and bG2: every piece is added up for each of them
 * before the next comes. Aux bits of all witnesses are `bits` long. Throws CuzkError PARAMS_MALFORMED, CANCELLED.
 */
export async function streamQueries(
  context: GpuContext,
  queries: StreamedQueries,
  bits: number,
  witnesses: readonly DeviceWitness[],
  run: CurveRun,
): Promise<Omit<QuerySums, 'h'>[]> {
  const sumsOf = <G extends CurveGroup>(query: StreamedQuery<G>): Promise<AffineOf<G>[][]> =>
    streamQuery(context, query, { bits, witnesses, abreast: queries.abreast }, run);
  const l = await sumsOf(queries.l);
  const a = await sumsOf(queries.a);
  const bG1 = await sumsOf(queries.bG1);
  const bG2 = await sumsOf(queries.bG2);
  return witnesses.map((_, k) => ({
    l: g1Sum(l[k] as G1Affine[]),
    a: g1Sum(a[k] as G1Affine[]),
    bG1: g1Sum(bG1[k] as G1Affine[]),
    bG2: g2Sum(bG2[k] as G2Affine[]),
  }));
}

/** Parts of the sum of one query for each witness. */
async function streamQuery<G extends CurveGroup>(
  context: GpuContext,
  query: StreamedQuery<G>,
  {
    bits,
    witnesses,
    abreast,
  }: {
    readonly bits: number;
    readonly witnesses: readonly DeviceWitness[];
    readonly abreast: number;
  },
  run: CurveRun,
): Promise<AffineOf<G>[][]> {
  const { stream, tailCount } = query;
  const parts: AffineOf<G>[][] = witnesses.map(() => []);
  const kernel = await placeKernel(context, stream.group, 2);
  const pieces = streamPieces(context.traits);
  const tail = allocatePoints(context, stream.group, tailCount, 'tail', { kind: 'scratch' });
  try {
    for await (const piece of stream.pieces(run)) {
      const { points, firstPoint } = piece;
      const commands = openPacedCommands(context, run);
      const part = { rows: points.segments[0], first: firstPoint, count: points.count };
      recordGather(commands, kernel, query.tail, part, tail);
      await commands.send();
      const bases = basesOf(query, piece, bits);
      const sums = await forEachAbreast(witnesses, abreast, run, (witness, each) =>
        sumSelected(context, [bases], witness.bits, each, pieces),
      );
      for (const [k, sum] of sums.entries()) parts[k].push(...sum);
    }
    const tails = await forEachAbreast(witnesses, abreast, run, ({ values }, each) =>
      sumTail(context, tail, values, query.msmEntries, each),
    );
    return parts.map((sums, k) => [...sums, tails[k] as AffineOf<G>]);
  } finally {
    releaseSegments(context, tail);
  }
}

/** Results for all witnesses, of which `abreast` are at work at a time: where one waits for the host the others go on. */
async function forEachAbreast<T>(
  witnesses: readonly DeviceWitness[],
  abreast: number,
  run: CurveRun,
  work: (witness: DeviceWitness, run: CurveRun) => Promise<T>,
): Promise<T[]> {
  const results: T[] = [];
  for (let at = 0; at < witnesses.length; at += abreast) {
    const group = witnesses
      .slice(at, at + abreast)
      .map((witness) => (signal: AbortSignal) => work(witness, { ...run, signal }));
    const done = await runTogether<Record<number, T>>(Object.assign({}, group), {
      sideBySide: true,
      signal: run.signal,
    });
    results.push(...group.map((_, i) => done[i] as T));
  }
  return results;
}

const sumTail = <G extends CurveGroup>(
  context: GpuContext,
  tail: PointSegments<G>,
  values: GPUBuffer,
  maxEntries: number,
  run: CurveRun,
): Promise<AffineOf<G>> => {
  const { count } = tail;
  const scalars = { count, segmentScalars: count, segments: [values] };
  const plan = planMsm(count, context.traits, tail.group, { maxEntries }, tail.segmentPoints);
  return msm(context, tail, scalars, { ...run, sparse: true, plan });
};

/** The piece as bases, with the bits that may pick its points. */
function basesOf<G extends CurveGroup>(
  { compacted }: StreamedQuery<G>,
  { points, firstPoint }: StreamedPiece<G>,
  bits: number,
): SelectedBases<G> {
  const end = firstPoint + points.count;
  if (compacted === undefined) {
    return { points, piece: { firstPoint, firstBit: firstPoint, endBit: end } };
  }
  const { density, ranks, firstAux, selection } = compacted;
  const bitOf = (point: number): number => bitOfRank({ density, ranks, bits }, point - firstAux);
  const piece: ArrayPiece = { firstPoint, firstBit: bitOf(firstPoint), endBit: bitOf(end) };
  return { points, selection, piece };
}
