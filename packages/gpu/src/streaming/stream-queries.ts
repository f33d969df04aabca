import { g1Sum, g2Sum } from '@cuzk/core/curve/msm';
import type { G1Affine, G2Affine } from '@cuzk/core/curve/points';
import type { QuerySums } from '@cuzk/core/groth16/assemble';
import type { CurveRun } from '../curve/curve-commands.ts';
import { recordGather } from '../curve/point-convert-gather.ts';
import { bitOfRank, placeKernel } from '../curve/point-convert-place.ts';
import {
  type AffineOf,
  allocatePoints,
  type CurveGroup,
  type PointSegments,
  releaseSegments,
} from '../curve/point-segments.ts';
import type { PointStream } from '../curve/point-stream.ts';
import type { GpuContext } from '../device/context.ts';
import { runTogether } from '../device/run-together.ts';
import { type Submitted, submitted } from '../device/submitted.ts';
import { submitMsm } from '../msm/msm.ts';
import { planMsm } from '../msm/msm-plan.ts';
import { openSelectedSums, type SelectedSums } from '../msm/sum-selected.ts';
import type { ArrayPiece, PlannedBases } from '../msm/sum-selected-chunks.ts';
import { countSelected } from '../msm/sum-selected-counts.ts';
import type { Selection } from '../msm/sum-selected-density.ts';
import type { CompactedQuery } from '../prover/query-layout.ts';
import type { DeviceWitness } from '../r1cs/device-witness.ts';
import { type QueryPass, streamPieces } from './query-pass.ts';

/** A query vector that is streamed. */
export interface StreamedQuery<G extends CurveGroup = CurveGroup> {
  readonly stream: PointStream<G>;
  /** Where not every aux has a base. */
  readonly compacted?: CompactedQuery & { readonly selection: Selection };
  readonly tailCount: number;
  /** Index in the vector of each tail scalar's base, or NO_POINT. */
  readonly tail: GPUBuffer;
}

export interface StreamedQueries {
  readonly l: StreamedQuery<'g1'>;
  readonly a: StreamedQuery<'g1'>;
  readonly bG1: StreamedQuery<'g1'>;
  readonly bG2: StreamedQuery<'g2'>;
}

/** What queries are summed for, and how they pass. */
export interface PassingQueries {
  readonly witnesses: readonly DeviceWitness[];
  /** Length of the aux bits of each. */
  readonly bits: number;
  readonly pass: QueryPass;
}

/**
 * The query sums of several witnesses, in one pass over l, a, bG1 and bG2: every piece is added up for each of them
 * before the next comes. While the tails of one vector are summed the next one is read, on hardware; first comes the
 * one whose tails take longest. Throws CuzkError PARAMS_MALFORMED, CANCELLED.
 */
export async function streamQueries(
  context: GpuContext,
  queries: StreamedQueries,
  passing: PassingQueries,
  run: CurveRun,
): Promise<Omit<QuerySums, 'h'>[]> {
  const [inStreamTurn, inTailTurn] = [takeTurns(), takeTurns()];
  const sumsOf =
    <G extends CurveGroup>(query: StreamedQuery<G>) =>
    async (signal: AbortSignal): Promise<AffineOf<G>[][]> => {
      const each = { ...run, signal };
      const { parts, tails } = await inStreamTurn(async () => {
        const tail = takeTail(context, query, passing.pass);
        const pieces = await submitPieces(context, query, passing, tail.points, each).catch(
          (error: unknown) => {
            tail.give();
            throw error;
          },
        );
        // two tails are held at most
        await inTailTurn(async () => {});
        const summed = inTailTurn(() => submitTails(context, passing, tail.points, each));
        return { parts: pieces, tails: submitted(summed.finally(tail.give)) };
      });
      const last = await (await tails.result).result;
      return (await parts.result).map((sums, k) => [...sums, last[k] as AffineOf<G>]);
    };
  const { l, a, bG1, bG2 } = await runTogether<{
    bG2: G2Affine[][];
    l: G1Affine[][];
    a: G1Affine[][];
    bG1: G1Affine[][];
  }>(
    {
      bG2: sumsOf(queries.bG2),
      l: sumsOf(queries.l),
      a: sumsOf(queries.a),
      bG1: sumsOf(queries.bG1),
    },
    { sideBySide: !context.traits.software, signal: run.signal },
  );
  return passing.witnesses.map((_, k) => ({
    l: g1Sum(l[k] as G1Affine[]),
    a: g1Sum(a[k] as G1Affine[]),
    bG1: g1Sum(bG1[k] as G1Affine[]),
    bG2: g2Sum(bG2[k] as G2Affine[]),
  }));
}

function takeTail<G extends CurveGroup>(
  context: GpuContext,
  { stream: { group }, tailCount }: StreamedQuery<G>,
  { tailPoints }: QueryPass,
): { readonly points: PointSegments<G>; readonly give: () => void } {
  const points = allocatePoints(context, group, tailCount, 'tail', {
    kind: 'scratch',
    segmentPoints: tailPoints[group],
  });
  return { points, give: () => releaseSegments(context, points) };
}

/** Whatever is given to the result is done one after another, in the order in which it came. */
function takeTurns(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const mine = last.then(work);
    last = mine.catch(() => {});
    return mine;
  };
}

/** The sums of the bits over the pieces of a query, for each witness: resolves when they are submitted. */
async function submitPieces<G extends CurveGroup>(
  context: GpuContext,
  query: StreamedQuery<G>,
  { witnesses, bits, pass }: PassingQueries,
  tail: PointSegments<G>,
  run: CurveRun,
): Promise<Submitted<AffineOf<G>[][]>> {
  const { group } = query.stream;
  const stream = query.stream.inPieces(pass.piecePoints[group]);
  const kernel = await placeKernel(context, group, 2);
  const sizes = streamPieces(context.traits, stream.piecePoints);
  const planes = witnesses.map((witness) => witness.bits);
  if (planes.length === 0) return submitted(Promise.resolve([]));
  const sets = plannedBases(query, stream, bits).map((bases) => [bases]);
  // known before the first piece comes, so that no piece waits for the host
  const counted = submitted(countSelected(context, sets, planes, run, sizes));
  let sums: SelectedSums<G> | undefined;
  try {
    for await (const { points, firstPoint } of stream.pieces(run)) {
      const index = firstPoint / stream.piecePoints;
      const counts = (await counted.result)[index];
      sums ??= await openSelectedSums(context, group, sets, planes, run, sizes);
      const part = { rows: points.segments[0], first: firstPoint, count: points.count };
      await sums.add([{ ...(sets[index][0] as PlannedBases), points }], {
        counts,
        before: (commands) => recordGather(commands, kernel, query.tail, part, tail),
      });
    }
    if (sums === undefined) return submitted(Promise.resolve(planes.map(() => [])));
    return await sums.end();
  } finally {
    await Promise.allSettled([counted.result]);
    sums?.close();
  }
}

/** The sums over the tail, for each witness: resolves when they are submitted. */
async function submitTails<G extends CurveGroup>(
  context: GpuContext,
  { witnesses, pass: { tailEntries: maxEntries } }: PassingQueries,
  tail: PointSegments<G>,
  run: CurveRun,
): Promise<Submitted<AffineOf<G>[]>> {
  const { count } = tail;
  const plan = planMsm(count, context.traits, tail.group, { maxEntries }, tail.segmentPoints);
  const sums: Promise<AffineOf<G>[]>[] = [];
  for (const { values } of witnesses) {
    const scalars = { count, segmentScalars: count, segments: [values] };
    const options = { ...run, sparse: true, plan };
    sums.push((await submitMsm(context, [tail], scalars, options)).result);
  }
  return submitted(Promise.all(sums).then((all) => all.flat()));
}

/** The pieces as bases, each with the bits that may pick its points. */
function plannedBases<G extends CurveGroup>(
  { compacted }: StreamedQuery<G>,
  { group, count, piecePoints }: PointStream<G>,
  bits: number,
): PlannedBases[] {
  const bitOf = (point: number): number => {
    if (compacted === undefined) return point;
    const { density, ranks, firstAux } = compacted;
    return bitOfRank({ density, ranks, bits }, point - firstAux);
  };
  return Array.from({ length: Math.ceil(count / piecePoints) }, (_, i) => {
    const firstPoint = i * piecePoints;
    const end = Math.min(firstPoint + piecePoints, count);
    const piece: ArrayPiece = { firstPoint, firstBit: bitOf(firstPoint), endBit: bitOf(end) };
    const points = { group, count: end - firstPoint, segmentPoints: piecePoints };
    return { points, piece, ...(compacted && { selection: compacted.selection }) };
  });
}
