import {
  assertParamsCounts,
  type PositionalReader,
  readParamsFile,
} from '@cuzk/core/groth16/params-file';
import { type ParamsSectionName, paramsCountsOf } from '@cuzk/core/groth16/params-layout';
import type { VerifyingKey } from '@cuzk/core/groth16/types';
import type { CircuitShape } from '@cuzk/core/r1cs/shape';
import { type CurveRun, openPacedCommands } from '../curve/curve-commands.ts';
import {
  type CurveGroup,
  POINT_BYTES,
  type PointSegments,
  releaseSegments,
} from '../curve/point-segments.ts';
import { type PointStream, streamSection } from '../curve/point-stream.ts';
import type { GpuContext } from '../device/context.ts';
import { releaseSelection, uploadSelection } from '../msm/sum-selected-density.ts';
import { type DeviceShape, uploadShape } from '../r1cs/r1cs-eval.ts';
import { checkedPieces } from './checked-pieces.ts';
import type { LoadOptions } from './proving-circuit.ts';
import { type CompactedQuery, layOutQueries } from './query-layout.ts';
import { openQuotient, type Quotient } from './quotient.ts';
import type { StreamPlan } from './stream-plan.ts';
import type { StreamedQueries, StreamedQuery } from './stream-queries.ts';

/** A circuit whose SRS does not fit the device: the first pieces of h stay there, the rest passes for every proof. */
export interface StreamedCircuit {
  readonly kind: 'streamed';
  readonly shape: CircuitShape;
  readonly vk: VerifyingKey;
  readonly deviceShape: DeviceShape;
  readonly quotient: Quotient;
  readonly plan: StreamPlan;
  readonly tailCount: number;
  readonly queries: StreamedQueries;
  /** h in natural order. */
  readonly h: PointStream<'g1'>;
  /** Its first pieces. */
  readonly residentH: readonly PointSegments<'g1'>[];
  close(): void;
}

/**
 * Puts on the device what the plan says of a circuit and its parameter file, which must stay readable until `close`.
 * Unless they were checked before, all points are read and checked before this returns; those that are streamed are
 * checked to be of the curve whenever they pass. Throws CuzkError PARAMS_MALFORMED naming section and point,
 * CANCELLED; then nothing stays on the device.
 */
export async function loadStreamedCircuit(
  context: GpuContext,
  shape: CircuitShape,
  reader: PositionalReader,
  plan: StreamPlan,
  options: LoadOptions = {},
): Promise<StreamedCircuit> {
  const run: CurveRun =
    options.signal === undefined ? { phase: 'load' } : { phase: 'load', signal: options.signal };
  const { vk, sections } = await readCheckedLayout(reader, shape);
  const releases: (() => void)[] = [];
  const close = (): void => {
    for (const release of releases.toReversed()) release();
    releases.length = 0;
    context.buffers.trim();
  };
  const streamOf = <G extends CurveGroup>(group: G, name: ParamsSectionName): PointStream<G> =>
    streamSection(context, group, sections[name], reader, plan.piecePoints[group]);
  try {
    const queries = openQueries(context, shape, plan, streamOf, releases);
    const deviceShape = uploadShape(context, shape, { check: true });
    releases.push(deviceShape.close);
    const quotient = await openQuotient(context, deviceShape.logN, {
      fullBoundary: plan.largeTables,
    });
    releases.push(quotient.close);
    const h = streamOf('g1', 'h');
    const residentH: PointSegments<'g1'>[] = [];
    let doneBytes = 0;
    const took = (points: number, group: CurveGroup): void => {
      doneBytes += points * POINT_BYTES[group];
      options.onBytes?.(doneBytes, reader.sizeBytes);
    };
    const unchecked = options.subgroupChecked !== true;
    const check = { ...run, maxEntries: plan.msmEntries };
    const kept = { subgroup: unchecked, ...(unchecked ? {} : { end: plan.residentPieces }) };
    for await (const piece of checkedPieces(context, h, sections.h, check, kept)) {
      if (residentH.length < plan.residentPieces) {
        const copy = await keepPiece(context, piece, run);
        residentH.push(copy);
        releases.push(() => releaseSegments(context, copy));
      }
      took(piece.count, 'g1');
    }
    for (const name of ['l', 'a', 'bG1', 'bG2'] as const) {
      if (!unchecked) break;
      const { stream } = queries[name];
      for await (const piece of checkedPieces(context, stream, sections[name], check, kept)) {
        took(piece.count, piece.group);
      }
    }
    context.buffers.trim();
    const { tailCount } = queries.l;
    return {
      ...{ kind: 'streamed', shape, vk, deviceShape, quotient, plan },
      ...{ tailCount, queries, h, residentH, close },
    };
  } catch (error) {
    close();
    throw error;
  }
}

async function readCheckedLayout(reader: PositionalReader, shape: CircuitShape) {
  const file = await readParamsFile(reader);
  assertParamsCounts(file, paramsCountsOf(shape));
  return file;
}

/** Uploads what the query vectors need besides their points. */
function openQueries(
  context: GpuContext,
  shape: CircuitShape,
  { msmEntries }: StreamPlan,
  streamOf: <G extends CurveGroup>(group: G, name: ParamsSectionName) => PointStream<G>,
  releases: (() => void)[],
): StreamedQueries {
  const { tailCount, tail, a, b } = layOutQueries(shape);
  const upload = (indices: Uint32Array): GPUBuffer => {
    const { buffer: bytes, byteOffset, byteLength } = indices;
    const buffer = context.buffers.take('shape', byteLength, 'tail indices');
    releases.push(() => context.buffers.give(buffer));
    context.device.queue.writeBuffer(buffer, 0, bytes as ArrayBuffer, byteOffset, byteLength);
    return buffer;
  };
  const select = (query: CompactedQuery): NonNullable<StreamedQuery['compacted']> => {
    const { density, firstAux, ranks } = query;
    const selection = uploadSelection(context, density, shape.aux, firstAux, ranks);
    releases.push(() => releaseSelection(context, selection));
    return { ...query, selection };
  };
  const selected = { a: select(a), b: select(b) } as const;
  const tails = { l: upload(tail.l), a: upload(tail.a), b: upload(tail.b) };
  const common = { tailCount, msmEntries };
  return {
    l: { stream: streamOf('g1', 'l'), ...common, tail: tails.l },
    a: { stream: streamOf('g1', 'a'), ...common, tail: tails.a, compacted: selected.a },
    bG1: { stream: streamOf('g1', 'bG1'), ...common, tail: tails.b, compacted: selected.b },
    bG2: { stream: streamOf('g2', 'bG2'), ...common, tail: tails.b, compacted: selected.b },
  };
}

/** A copy of a passing piece. */
async function keepPiece<G extends CurveGroup>(
  context: GpuContext,
  piece: PointSegments<G>,
  run: CurveRun,
): Promise<PointSegments<G>> {
  const sizeBytes = piece.count * POINT_BYTES[piece.group];
  const copy = context.buffers.take('srs', sizeBytes, 'resident piece');
  const commands = openPacedCommands(context, run);
  commands.copy(piece.segments[0], 0, copy, 0, sizeBytes);
  await commands.flush();
  return { ...piece, segments: [copy] };
}
