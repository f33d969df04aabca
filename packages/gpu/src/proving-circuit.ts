import {
  assertParamsCounts,
  type PositionalReader,
  readParamsFile,
} from '@cuzk/core/groth16/params-file';
import { type ParamsSection, paramsCountsOf } from '@cuzk/core/groth16/params-layout';
import type { VerifyingKey } from '@cuzk/core/groth16/types';
import type { CircuitShape } from '@cuzk/core/r1cs/shape';
import type { GpuContext } from './context.ts';
import { loadQueryPoints } from './load-query-points.ts';
import { gatherPoints } from './point-convert-gather.ts';
import type { PointPlacement } from './point-convert-load.ts';
import { type CurveGroup, type PointSegments, releaseSegments } from './point-segments.ts';
import { layOutQueries } from './query-layout.ts';
import { openQuotient, type Quotient } from './quotient.ts';
import { type DeviceShape, uploadShape } from './r1cs-eval.ts';
import type { SelectedBases } from './sum-selected.ts';
import { releaseSelection, type Selection, uploadSelection } from './sum-selected-density.ts';

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
  /** Bytes of the parameter file that are on the device, of all. */
  readonly onBytes?: (done: number, total: number) => void;
}

/**
 * Puts a circuit and its parameters on the device. The file is read once, in order, in pieces, and converted there
 * (docs/kernels.md). Throws CuzkError PARAMS_MALFORMED naming the section, GPU_OUT_OF_MEMORY, CANCELLED.
 */
export async function loadCircuit(
  context: GpuContext,
  shape: CircuitShape,
  reader: PositionalReader,
  options: LoadOptions = {},
): Promise<ProvingCircuit> {
  const file = await readParamsFile(reader);
  assertParamsCounts(file, paramsCountsOf(shape));
  const layout = layOutQueries(shape);
  const deviceShape = uploadShape(context, shape, { check: true });
  const quotient = await openQuotient(context, deviceShape.logN);
  let doneBytes = 0;
  const run = {
    phase: 'load',
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  };
  const load = <G extends CurveGroup>(
    group: G,
    section: ParamsSection,
    placement: PointPlacement = { kind: 'in order' },
  ): Promise<PointSegments<G>> =>
    loadQueryPoints(context, group, section, reader, placement, {
      ...run,
      onBytes: (bytes) => {
        doneBytes += bytes;
        options.onBytes?.(doneBytes, reader.sizeBytes);
      },
    });
  const query = async <G extends CurveGroup>(
    group: G,
    section: ParamsSection,
    tail: Uint32Array,
    selection?: Selection,
  ): Promise<DeviceQuery<G>> => {
    const points = await load(group, section);
    const selected = selection === undefined ? { points } : { points, selection };
    return { selected, tail: await gatherPoints(context, points, tail, run) };
  };
  const selections = {
    a: uploadSelection(context, layout.a.density, shape.aux, layout.a.firstAux, layout.a.ranks),
    b: uploadSelection(context, layout.b.density, shape.aux, layout.b.firstAux, layout.b.ranks),
  };
  const { h, l, a, bG1, bG2 } = file.sections;
  const srs: DeviceSrs = {
    h: await load('g1', h, { kind: 'bit reversed', logN: deviceShape.logN }),
    l: await query('g1', l, layout.tail.l),
    a: await query('g1', a, layout.tail.a, selections.a),
    bG1: await query('g1', bG1, layout.tail.b, selections.b),
    bG2: await query('g2', bG2, layout.tail.b, selections.b),
    tailCount: layout.tailCount,
  };
  return {
    shape,
    vk: file.vk,
    deviceShape,
    quotient,
    srs,
    close: () => {
      deviceShape.close();
      quotient.close();
      releaseSelection(context, selections.a);
      releaseSelection(context, selections.b);
      releaseSegments(context, srs.h);
      for (const { selected, tail } of [srs.l, srs.a, srs.bG1, srs.bG2]) {
        releaseSegments(context, selected.points);
        releaseSegments(context, tail);
      }
      context.buffers.trim();
    },
  };
}
