import {
  assertParamsCounts,
  type PositionalReader,
  readParamsFile,
} from '@cuzk/core/groth16/params-file';
import {
  PARAMS_SECTIONS,
  type ParamsSection,
  paramsCountsOf,
} from '@cuzk/core/groth16/params-layout';
import type { CircuitShape } from '@cuzk/core/r1cs/shape';
import { requireInSubgroup } from '../curve/load-query-points.ts';
import {
  type CurveGroup,
  POINT_BYTES,
  type PointSegments,
  segmentPointsFor,
} from '../curve/point-segments.ts';
import { type PointStream, streamSection } from '../curve/point-stream.ts';
import type { GpuContext } from '../device/context.ts';
import { findOutsideSubgroup, type SubgroupRun } from '../msm/subgroup-check.ts';
import type { LoadOptions } from '../prover/proving-circuit.ts';

/** Pieces from number `first` on, each tested for the subgroup before it is given. */
export async function* checkedPieces<G extends CurveGroup>(
  context: GpuContext,
  stream: PointStream<G>,
  section: ParamsSection,
  run: SubgroupRun,
  first = 0,
): AsyncGenerator<PointSegments<G>> {
  for await (const { points, firstPoint } of stream.pieces(run, { first })) {
    const outside = await findOutsideSubgroup(context, points, run);
    requireInSubgroup(section, outside === undefined ? undefined : firstPoint + outside);
    yield points;
  }
}

/**
 * Reads the parameter file of a circuit through the device and tests that all points are finite, of the curve and in
 * the subgroup of order r; nothing stays there. Throws CuzkError PARAMS_MALFORMED naming section and point, CANCELLED.
 */
export async function checkParamsPoints(
  context: GpuContext,
  shape: CircuitShape,
  reader: PositionalReader,
  { signal, onBytes }: Pick<LoadOptions, 'signal' | 'onBytes'> = {},
): Promise<void> {
  const file = await readParamsFile(reader);
  assertParamsCounts(file, paramsCountsOf(shape));
  const run = { phase: 'check', ...(signal === undefined ? {} : { signal }) };
  let doneBytes = 0;
  for (const name of PARAMS_SECTIONS) {
    const section = file.sections[name];
    const group = name === 'bG2' ? 'g2' : 'g1';
    const piecePoints = segmentPointsFor(context.traits, group);
    const stream = streamSection(context, group, section, reader, piecePoints);
    for await (const piece of checkedPieces(context, stream, section, run)) {
      doneBytes += piece.count * POINT_BYTES[group];
      onBytes?.(doneBytes, reader.sizeBytes);
    }
    context.buffers.trim();
  }
}
