import {
  assertParamsCounts,
  type PositionalReader,
  readParamsFile,
} from '@cuzk/core/groth16/params-file';
import { paramsCountsOf } from '@cuzk/core/groth16/params-layout';
import type { CircuitShape } from '@cuzk/core/r1cs/shape';
import type { CurveRun } from '../curve/curve-commands.ts';
import { loadQueryPoints } from '../curve/load-query-points.ts';
import type { GpuContext } from '../device/context.ts';
import { domainLog } from '../r1cs/r1cs-eval.ts';
import type { SrsSource } from './srs-source.ts';

/**
 * The SRS in a parameter file for the circuit. The reader stays the caller's. Throws CuzkError PARAMS_MALFORMED where
 * the file's layout is not the circuit's, and from `points` what loadQueryPoints throws.
 */
export async function openParamsSrs(
  context: GpuContext,
  shape: CircuitShape,
  reader: PositionalReader,
  run: CurveRun,
  onBytes?: (done: number, total: number) => void,
): Promise<SrsSource> {
  const file = await readParamsFile(reader);
  assertParamsCounts(file, paramsCountsOf(shape));
  let doneBytes = 0;
  return {
    vk: file.vk,
    points: (group, name) => {
      const placement =
        name === 'h'
          ? ({ kind: 'bit reversed', logN: domainLog(shape) } as const)
          : ({ kind: 'in order' } as const);
      return loadQueryPoints(context, group, file.sections[name], reader, placement, {
        ...run,
        onBytes: (bytes) => {
          doneBytes += bytes;
          onBytes?.(doneBytes, reader.sizeBytes);
        },
      });
    },
    close: () => {},
  };
}
