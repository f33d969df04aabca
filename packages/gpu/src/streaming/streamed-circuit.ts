import {
  assertParamsCounts,
  type ParamsFile,
  type PositionalReader,
  readParamsFile,
} from '@cuzk/core/groth16/params-file';
import { type ParamsSectionName, paramsCountsOf } from '@cuzk/core/groth16/params-layout';
import type { VerifyingKey } from '@cuzk/core/groth16/types';
import type { CircuitShape } from '@cuzk/core/r1cs/shape';
import { type CurveRun, openPacedCommands } from '../curve/curve-commands.ts';
import { requireInSubgroup } from '../curve/load-query-points.ts';
import { openPlacement, type PointPlacement } from '../curve/point-convert-place.ts';
import {
  allocatePoints,
  type CurveGroup,
  POINT_BYTES,
  type PointSegments,
  releaseSegments,
} from '../curve/point-segments.ts';
import { type PointStream, streamSection } from '../curve/point-stream.ts';
import type { GpuContext } from '../device/context.ts';
import { faultsOf, settle } from '../device/device-faults.ts';
import { findOutsideSubgroup } from '../msm/subgroup-check.ts';
import { releaseSelection, uploadSelection } from '../msm/sum-selected-density.ts';
import { numberAt } from '../prover/params-srs.ts';
import type { LoadOptions } from '../prover/proving-circuit.ts';
import { type CompactedQuery, layOutQueries } from '../prover/query-layout.ts';
import { openQuotient, type Quotient } from '../prover/quotient.ts';
import { type DeviceShape, uploadShape } from '../r1cs/device-shape.ts';
import { checkedPieces } from './checked-pieces.ts';
import { type StreamPlan, workingBytes } from './stream-plan.ts';
import type { StreamedQueries, StreamedQuery } from './stream-queries.ts';

/** A circuit whose SRS does not fit the device: the first points of h stay there, the rest passes for every proof. */
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
  /** Its first points, in the order of orderOfH. */
  readonly residentH: PointSegments<'g1'>;
  close(): void;
}

/** Where all points stay they stand as the quotient leaves its coefficients, which it then need not move. */
export const orderOfH = ({
  h,
  residentH,
}: Pick<StreamedCircuit, 'h' | 'residentH'>): 'natural' | 'bit-reversed' =>
  residentH.count === h.count ? 'bit-reversed' : 'natural';

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
  const { buffers, traits } = context;
  const { srs, shape: shapes } = buffers.bytesInUse;
  const limitBytes = srs + shapes + plan.residentBytes + workingBytes(plan, traits);
  return buffers.within({ limitBytes, reuseLarger: false }, () =>
    load(context, shape, reader, plan, options),
  );
}

async function load(
  context: GpuContext,
  shape: CircuitShape,
  reader: PositionalReader,
  plan: StreamPlan,
  options: LoadOptions,
): Promise<StreamedCircuit> {
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
    const queries = openQueries(context, shape, streamOf, releases);
    const deviceShape = uploadShape(context, shape, { check: true });
    releases.push(deviceShape.close);
    const quotient = await openQuotient(context, deviceShape.logN, {
      fullBoundary: plan.largeTables,
    });
    releases.push(quotient.close);
    const h = streamOf('g1', 'h');
    const residentH = allocatePoints(context, 'g1', plan.residentPoints, 'h', {
      segmentPoints: plan.segmentPoints,
    });
    releases.push(() => releaseSegments(context, residentH));
    await loadPoints(context, { plan, sections, h, residentH, queries }, reader, options);
    await settle(context);
    context.buffers.trim();
    const { tailCount } = queries.l;
    return {
      ...{ kind: 'streamed', shape, vk, deviceShape, quotient, plan },
      ...{ tailCount, queries, h, residentH, close },
    };
  } catch (error) {
    close();
    faultsOf(context.device).forget();
    throw error;
  }
}

/** Fills the points of h that stay, and checks all points if they were not checked before. */
async function loadPoints(
  context: GpuContext,
  {
    plan,
    sections,
    h,
    residentH,
    queries,
  }: Pick<StreamedCircuit, 'plan' | 'h' | 'residentH' | 'queries'> & Pick<ParamsFile, 'sections'>,
  reader: PositionalReader,
  { signal, subgroupChecked, onBytes }: LoadOptions,
): Promise<void> {
  const run: CurveRun = { phase: 'load', ...(signal && { signal }) };
  let doneBytes = 0;
  const took = ({ count, group }: PointSegments): void => {
    doneBytes += count * POINT_BYTES[group];
    onBytes?.(doneBytes, reader.sizeBytes);
  };
  const residentPieces = Math.ceil(plan.residentPoints / plan.piecePoints.g1);
  const placement: PointPlacement =
    orderOfH({ h, residentH }) === 'natural'
      ? { kind: 'in order' }
      : { kind: 'bit reversed', logN: Math.log2(h.count + 1) };
  const place = await openPlacement(context, residentH, placement);
  for await (const { points, firstPoint } of h.pieces(run, { end: residentPieces })) {
    const commands = openPacedCommands(context, run);
    place.record(commands, points.segments[0], firstPoint, points.count);
    await commands.flush();
    took(points);
  }
  place.close();
  if (subgroupChecked === true) return;
  const check = { ...run, maxEntries: plan.msmEntries };
  // those that stay all at once, as the host looks at a few sums of each check
  const outside = await findOutsideSubgroup(context, residentH, check);
  requireInSubgroup(sections.h, outside === undefined ? undefined : numberAt(placement, outside));
  const passing: [PointStream, ParamsSectionName, number][] = [
    [h, 'h', residentPieces],
    ...(['l', 'a', 'bG1', 'bG2'] as const).map((name): [PointStream, ParamsSectionName, number] => [
      queries[name].stream,
      name,
      0,
    ]),
  ];
  for (const [stream, name, first] of passing) {
    for await (const piece of checkedPieces(context, stream, sections[name], check, first)) {
      took(piece);
    }
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
  const common = { tailCount };
  return {
    l: { stream: streamOf('g1', 'l'), ...common, tail: tails.l },
    a: { stream: streamOf('g1', 'a'), ...common, tail: tails.a, compacted: selected.a },
    bG1: { stream: streamOf('g1', 'bG1'), ...common, tail: tails.b, compacted: selected.b },
    bG2: { stream: streamOf('g2', 'bG2'), ...common, tail: tails.b, compacted: selected.b },
  };
}
