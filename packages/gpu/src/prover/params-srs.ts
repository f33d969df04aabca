import {
  assertParamsCounts,
  type PositionalReader,
  readParamsFile,
} from '@cuzk/core/groth16/params-file';
import { paramsCountsOf } from '@cuzk/core/groth16/params-layout';
import { reverseBits } from '@cuzk/core/poly/reverse-bits';
import type { CircuitShape } from '@cuzk/core/r1cs/shape';
import type { CurveRun } from '../curve/curve-commands.ts';
import { loadQueryPoints, requireInSubgroup } from '../curve/load-query-points.ts';
import type { PointPlacement } from '../curve/point-convert-place.ts';
import { releaseSegments } from '../curve/point-segments.ts';
import type { GpuContext } from '../device/context.ts';
import { findOutsideSubgroup } from '../msm/subgroup-check.ts';
import { domainLog } from '../r1cs/device-shape.ts';
import type { SrsSource } from './srs-source.ts';

export interface ParamsSrsOptions {
  /** Test that all points are in the subgroup of order r: two or three seconds for 44 GiB on a large GPU. */
  readonly checkSubgroup: boolean;
  /** Bytes of the file that are on the device, of all. */
  readonly onBytes?: ((done: number, total: number) => void) | undefined;
}

/**
 * The SRS in a parameter file for the circuit. The reader stays the caller's. Throws CuzkError PARAMS_MALFORMED where
 * the file's layout is not the circuit's, and from `points`, section and point named, for what is not of the curve or,
 * with `checkSubgroup`, not of the subgroup of order r.
 */
export async function openParamsSrs(
  context: GpuContext,
  shape: CircuitShape,
  reader: PositionalReader,
  run: CurveRun,
  options: ParamsSrsOptions,
): Promise<SrsSource> {
  const file = await readParamsFile(reader);
  assertParamsCounts(file, paramsCountsOf(shape));
  let doneBytes = 0;
  return {
    vk: file.vk,
    points: async (group, name) => {
      const section = file.sections[name];
      const placement: PointPlacement =
        name === 'h' ? { kind: 'bit reversed', logN: domainLog(shape) } : { kind: 'in order' };
      const points = await loadQueryPoints(context, group, section, reader, placement, {
        ...run,
        onBytes: (bytes) => {
          doneBytes += bytes;
          options.onBytes?.(doneBytes, reader.sizeBytes);
        },
      });
      if (!options.checkSubgroup) return points;
      try {
        const outside = await findOutsideSubgroup(context, points, run);
        requireInSubgroup(
          section,
          outside === undefined ? undefined : numberAt(placement, outside),
        );
        return points;
      } catch (error) {
        releaseSegments(context, points);
        throw error;
      }
    },
    close: () => {},
  };
}

/** The number in the file of the point at a place. */
export function numberAt(placement: PointPlacement, at: number): number {
  return placement.kind === 'bit reversed' ? reverseBits(at, placement.logN) : at;
}
