import { CuzkError } from '@cuzk/core/errors';
import type { PositionalReader } from '@cuzk/core/groth16/params-file';
import type { ParamsSection } from '@cuzk/core/groth16/params-layout';
import type { GpuContext } from '../device/context.ts';
import type { CurveRun } from './curve-commands.ts';
import { openPointLoader } from './point-convert-load.ts';
import type { PointPlacement } from './point-convert-place.ts';
import type { CurveGroup, PointSegments } from './point-segments.ts';

/** File bytes in the heap at once. */
const READ_BYTES = 2 ** 24;

/**
 * Reads one section of a parameter file on to the device, in order and in pieces: points are converted and checked
 * against the curve equation there. Throws CuzkError PARAMS_MALFORMED, naming section and point, where an encoding is
 * no point of the curve or is infinity (spec §4.5), CANCELLED.
 */
export async function loadQueryPoints<G extends CurveGroup>(
  context: GpuContext,
  group: G,
  section: ParamsSection,
  reader: PositionalReader,
  placement: PointPlacement,
  run: CurveRun & { readonly onBytes: (bytes: number) => void },
): Promise<PointSegments<G>> {
  const { offset, count, pointBytes } = section;
  const loader = await openPointLoader(context, group, count, placement, run);
  try {
    const piecePoints = Math.floor(READ_BYTES / pointBytes);
    for (let first = 0; first < count; first += piecePoints) {
      const length = Math.min(piecePoints, count - first) * pointBytes;
      const bytes = await reader.read(offset + first * pointBytes, length);
      if (bytes.length !== length) {
        throw malformed(
          section,
          'truncated',
          `${length} bytes at point ${first}`,
          `${bytes.length} bytes`,
        );
      }
      await loader.push(bytes);
      run.onBytes(length);
    }
    const report = await loader.finish();
    if (report.badPoints > 0) {
      throw malformed(
        section,
        `not on curve: point ${report.firstBadPoint}`,
        'points of the curve',
        `${report.badPoints} that are not`,
      );
    }
    if (report.infinities > 0) {
      throw malformed(
        section,
        'point at infinity',
        'finite points',
        `${report.infinities} at infinity`,
      );
    }
    return report.points;
  } finally {
    loader.close();
  }
}

const malformed = (
  { name }: ParamsSection,
  problem: string,
  expected: string,
  found: string,
): CuzkError =>
  new CuzkError('PARAMS_MALFORMED', `parameter file, section ${name}: ${problem}`, {
    expected,
    found,
    action: 'Fetch or generate the parameter file again and check its digest.',
  });
