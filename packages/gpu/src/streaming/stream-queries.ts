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
import { type Submitted, submitted } from '../device/submitted.ts';
import { submitMsm } from '../msm/msm.ts';
import { planMsm } from '../msm/msm-plan.ts';
import { type ArrayPiece, type SelectedBases, submitSelected } from '../msm/sum-selected.ts';
import type { Selection } from '../msm/sum-selected-density.ts';
import type { CompactedQuery } from '../prover/query-layout.ts';
import type { DeviceWitness } from '../r1cs/device-witness.ts';
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
}

/**
 * The query sums of several witnesses, in one pass over l, a, bG1 and bG2: every piece is added up for each of them
 * before the next comes. Aux bits of all witnesses are `bits` long. While the tails of one vector are summed the next
 * one is read, on hardware; first comes the one whose tails take longest. Throws CuzkError PARAMS_MALFORMED, CANCELLED.
 */
export async function streamQueries(
  context: GpuContext,
  queries: StreamedQueries,
  bits: number,
  witnesses: readonly DeviceWitness[],
  run: CurveRun,
): Promise<Omit<QuerySums, 'h'>[]> {
  const [inStreamTurn, inTailTurn] = [takeTurns(), takeTurns()];
  const sumsOf =
    <G extends CurveGroup>(query: StreamedQuery<G>) =>
    async (signal: AbortSignal): Promise<AffineOf<G>[][]> => {
      const each = { ...run, signal };
      const { group } = query.stream;
      const tail = allocatePoints(context, group, query.tailCount, 'tail', { kind: 'scratch' });
      try {
        const parts = await inStreamTurn(() =>
          submitPieces(context, query, { bits, witnesses, tail }, each),
        );
        const tails = await inTailTurn(() => sumTails(context, query, witnesses, tail, each));
        return (await parts.result).map((sums, k) => [...sums, tails[k] as AffineOf<G>]);
      } finally {
        releaseSegments(context, tail);
      }
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
  return witnesses.map((_, k) => ({
    l: g1Sum(l[k] as G1Affine[]),
    a: g1Sum(a[k] as G1Affine[]),
    bG1: g1Sum(bG1[k] as G1Affine[]),
    bG2: g2Sum(bG2[k] as G2Affine[]),
  }));
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

interface PieceSums<G extends CurveGroup> {
  readonly bits: number;
  readonly witnesses: readonly DeviceWitness[];
  /** Gets the points of the tail. */
  readonly tail: PointSegments<G>;
}

/** The sums of the bits over each piece of a query, for each witness: resolves when they are submitted. */
async function submitPieces<G extends CurveGroup>(
  context: GpuContext,
  query: StreamedQuery<G>,
  { bits, witnesses, tail }: PieceSums<G>,
  run: CurveRun,
): Promise<Submitted<AffineOf<G>[][]>> {
  const { stream } = query;
  const sums: Promise<AffineOf<G>[][]>[] = [];
  const kernel = await placeKernel(context, stream.group, 2);
  const pieces = streamPieces(context.traits, stream.piecePoints);
  const planes = witnesses.map((witness) => witness.bits);
  for await (const piece of stream.pieces(run)) {
    const { points, firstPoint } = piece;
    const commands = openPacedCommands(context, run);
    const part = { rows: points.segments[0], first: firstPoint, count: points.count };
    recordGather(commands, kernel, query.tail, part, tail);
    await commands.send();
    const bases = basesOf(query, piece, bits);
    sums.push((await submitSelected(context, [bases], planes, run, pieces)).result);
  }
  return submitted(
    Promise.all(sums).then((pieceSums) =>
      witnesses.map((_, k) => pieceSums.map((all) => all[k][0])),
    ),
  );
}

/** The sums over the tail, for each witness; they are all submitted before the first is waited for. */
async function sumTails<G extends CurveGroup>(
  context: GpuContext,
  { msmEntries: maxEntries }: StreamedQuery<G>,
  witnesses: readonly DeviceWitness[],
  tail: PointSegments<G>,
  run: CurveRun,
): Promise<AffineOf<G>[]> {
  const { count } = tail;
  const plan = planMsm(count, context.traits, tail.group, { maxEntries }, tail.segmentPoints);
  const sums: Promise<AffineOf<G>[]>[] = [];
  for (const { values } of witnesses) {
    const scalars = { count, segmentScalars: count, segments: [values] };
    const options = { ...run, sparse: true, plan };
    sums.push((await submitMsm(context, [tail], scalars, options)).result);
  }
  return (await Promise.all(sums)).flat();
}

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
