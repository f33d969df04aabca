import type { PositionalReader } from '@cuzk/core/groth16/params-file';
import type { ParamsSectionName } from '@cuzk/core/groth16/params-layout';
import type { VerifyingKey } from '@cuzk/core/groth16/types';
import type { CircuitShape } from '@cuzk/core/r1cs/shape';
import type { CurveRun } from '../curve/curve-commands.ts';
import { gatherPoints } from '../curve/point-convert-gather.ts';
import { type CurveGroup, type PointSegments, releaseSegments } from '../curve/point-segments.ts';
import type { GpuContext } from '../device/context.ts';
import { faultsOf, settle } from '../device/device-faults.ts';
import type { SelectedBases } from '../msm/sum-selected-chunks.ts';
import { releaseSelection, type Selection, uploadSelection } from '../msm/sum-selected-density.ts';
import { type DeviceShape, uploadShape } from '../r1cs/device-shape.ts';
import { openParamsSrs } from './params-srs.ts';
import { type CompactedQuery, layOutQueries } from './query-layout.ts';
import { openQuotient, type Quotient } from './quotient.ts';
import type { SrsSource } from './srs-source.ts';

/** A query vector on the device: all its points for the bits, and those of the tail once more, in tail order. */
export interface DeviceQuery<G extends CurveGroup> {
  readonly selected: SelectedBases<G>;
  readonly tail: PointSegments<G>;
}

/** An SRS on the device (query-layout.ts says how it lines up with a witness). */
export interface DeviceSrs {
  /** 2^logN points in bit-reversed order; the missing last one is infinity. */
  readonly h: PointSegments<'g1'>;
  readonly l: DeviceQuery<'g1'>;
  readonly a: DeviceQuery<'g1'>;
  readonly bG1: DeviceQuery<'g1'>;
  readonly bG2: DeviceQuery<'g2'>;
  readonly tailCount: number;
}

/** A circuit with its SRS on the device, ready to prove. */
export interface ProvingCircuit {
  readonly shape: CircuitShape;
  readonly vk: VerifyingKey;
  readonly deviceShape: DeviceShape;
  readonly quotient: Quotient;
  readonly srs: DeviceSrs;
  close(): void;
}

export interface LoadOptions {
  readonly signal?: AbortSignal;
  /** The points of this very file were found in their subgroups before: they are not tested again. */
  readonly subgroupChecked?: boolean;
  /** Bytes of the parameter file that are on the device, of all. */
  readonly onBytes?: (done: number, total: number) => void;
}

/**
 * Puts a circuit and its parameters on the device. The file is read once, in order, in pieces, and converted there
 * (docs/kernels.md); all points are checked. Throws CuzkError PARAMS_MALFORMED naming section and point, CANCELLED;
 * then nothing stays on the device.
 */
export async function loadCircuit(
  context: GpuContext,
  shape: CircuitShape,
  reader: PositionalReader,
  options: LoadOptions = {},
): Promise<ProvingCircuit> {
  const run: CurveRun =
    options.signal === undefined ? { phase: 'load' } : { phase: 'load', signal: options.signal };
  const source = await openParamsSrs(context, shape, reader, run, {
    checkSubgroup: options.subgroupChecked !== true,
    onBytes: options.onBytes,
  });
  return openProvingCircuit(context, shape, source, run);
}

/**
 * Puts a circuit and the SRS of a source on the device. Throws what the source throws, and CuzkError CANCELLED; then
 * nothing of the circuit stays on the device. The source stays the caller's to close.
 */
export async function openProvingCircuit(
  context: GpuContext,
  shape: CircuitShape,
  source: SrsSource,
  run: CurveRun,
): Promise<ProvingCircuit> {
  const releases: (() => void)[] = [];
  const close = (): void => {
    for (const release of releases.toReversed()) release();
    releases.length = 0;
    context.buffers.trim();
  };
  const kept = <T>(value: T, release: () => void): T => {
    releases.push(release);
    return value;
  };
  const keptPoints = <G extends CurveGroup>(points: PointSegments<G>): PointSegments<G> =>
    kept(points, () => releaseSegments(context, points));
  const query = async <G extends CurveGroup>(
    group: G,
    name: ParamsSectionName,
    tail: Uint32Array,
    selection?: Selection,
  ): Promise<DeviceQuery<G>> => {
    const points = keptPoints(await source.points(group, name));
    const selected = selection === undefined ? { points } : { points, selection };
    return { selected, tail: keptPoints(await gatherPoints(context, points, tail, run)) };
  };
  const select = ({ density, firstAux, ranks }: CompactedQuery): Selection => {
    const selection = uploadSelection(context, density, shape.aux, firstAux, ranks);
    return kept(selection, () => releaseSelection(context, selection));
  };
  try {
    const layout = layOutQueries(shape);
    const deviceShape = uploadShape(context, shape, { check: true });
    releases.push(deviceShape.close);
    const quotient = await openQuotient(context, deviceShape.logN);
    releases.push(quotient.close);
    const selections = { a: select(layout.a), b: select(layout.b) };
    const srs: DeviceSrs = {
      h: keptPoints(await source.points('g1', 'h')),
      l: await query('g1', 'l', layout.tail.l),
      a: await query('g1', 'a', layout.tail.a, selections.a),
      bG1: await query('g1', 'bG1', layout.tail.b, selections.b),
      bG2: await query('g2', 'bG2', layout.tail.b, selections.b),
      tailCount: layout.tailCount,
    };
    await settle(context);
    return { shape, vk: source.vk, deviceShape, quotient, srs, close };
  } catch (error) {
    close();
    faultsOf(context.device).forget();
    throw error;
  }
}
