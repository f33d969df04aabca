import { CuzkError } from '@cuzk/core/errors';
import { type PositionalReader, readPositions } from '@cuzk/core/groth16/params-file';
import type { ParamsSection } from '@cuzk/core/groth16/params-layout';
import type { GpuContext } from '../device/context.ts';
import type { CurveRun } from './curve-commands.ts';
import { openPointLoader, type ReadPoints } from './point-convert-load.ts';
import type { PointPlacement } from './point-convert-place.ts';
import type { DecodingReport } from './point-decode.ts';
import { type CurveGroup, type PointSegments, releaseSegments } from './point-segments.ts';

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
  const { count } = section;
  const loader = await openPointLoader(context, group, count, placement, run);
  try {
    await loader.take(count, sectionBytes(reader, section, run.onBytes));
    const report = await loader.finish();
    try {
      requireFinitePoints(section, report);
      return report.points;
    } catch (error) {
      releaseSegments(context, report.points);
      throw error;
    }
  } finally {
    await loader.close();
  }
}

/** The encoded points of a section. Throws CuzkError PARAMS_MALFORMED where the file has become shorter. */
export function sectionBytes(
  reader: PositionalReader,
  section: ParamsSection,
  onBytes: (bytes: number) => void,
): ReadPoints {
  const { offset, pointBytes } = section;
  return async (target, first) => {
    const read = await readInParts(reader, target, offset + first * pointBytes);
    if (read !== target.length) {
      const expected = `${target.length} bytes at point ${first}`;
      throw malformed(section, 'truncated', expected, `${read} bytes`);
    }
    onBytes(read);
  };
}

/** What one thread reads of a chunk at least. */
const PART_BYTES = 2 ** 21;
const PARTS = 3;

/** Bytes read, by several threads at once; fewer than asked for where the file ends. */
async function readInParts(
  reader: PositionalReader,
  target: Uint8Array,
  offset: number,
): Promise<number> {
  const each = Math.max(PART_BYTES, Math.ceil(target.length / PARTS));
  const reads: Promise<number>[] = [];
  for (let at = 0; at < target.length; at += each) {
    reads.push(readPositions(reader, target.subarray(at, at + each), offset + at));
  }
  // the memory must not go while a thread still reads into it
  const ended = await Promise.allSettled(reads);
  let read = 0;
  for (const part of ended) {
    if (part.status === 'rejected') throw part.reason;
    read += part.value;
  }
  return read;
}

/** Throws CuzkError PARAMS_MALFORMED where not all decoded points were finite points of the curve. */
export function requireFinitePoints(section: ParamsSection, report: DecodingReport): void {
  const { badPoints, firstBadPoint, infinities } = report;
  if (badPoints > 0) {
    const problem = `not on curve: point ${firstBadPoint}`;
    throw malformed(section, problem, 'points of the curve', `${badPoints} that are not`);
  }
  if (infinities > 0) {
    throw malformed(section, 'point at infinity', 'finite points', `${infinities} at infinity`);
  }
}

/** Throws CuzkError PARAMS_MALFORMED for a point of the curve that is not in the subgroup. */
export function requireInSubgroup(section: ParamsSection, outside: number | undefined): void {
  if (outside === undefined) return;
  const problem = `not in the subgroup: point ${outside}`;
  throw malformed(section, problem, 'points of the subgroup of order r', 'one that is not');
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
