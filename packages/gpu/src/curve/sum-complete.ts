import { fp2Invert, fp2Mul } from '@cuzk/core/curve/fp2';
import { fpInvert, fpMul } from '@cuzk/core/field/fp';
import { type Binding, readBuffer } from '../device/commands.ts';
import type { GpuContext } from '../device/context.ts';
import type { Kernel } from '../device/kernel.ts';
import { FP_VARIANTS, readElement, writeBiasedConstant } from '../field/field-variants.ts';
import type { PacedCommands } from './curve-commands.ts';
import {
  type AffineOf,
  type CurveGroup,
  POINT_BYTES,
  pointOfCoordinates,
} from './point-segments.ts';

const LOG_WORKGROUP = 5;
const WORKGROUP = 2 ** LOG_WORKGROUP;
/** Points of a workgroup of the first kernel: eight an invocation. */
const SPAN = 8 * WORKGROUP;
const COORDINATE_WORDS = 12;

/** Arrays of few affine points each, in rows: `count` of each array, one array every `stride` rows; zeros are infinity. */
export interface FewPoints {
  readonly rows: Binding;
  readonly arrays: number;
  readonly count: number;
  readonly stride: number;
}

/** Sums of few points by complete additions (kernels/curve/sum-complete.wgsl), without rounds. */
export interface CompleteSums<G extends CurveGroup = CurveGroup> {
  /** Records the sums of all arrays; no more arrays and points than it was opened for. */
  record(commands: PacedCommands, points: FewPoints): Promise<void>;
  /** The sums of the first `arrays` arrays, once what was recorded is sent. */
  read(arrays: number): Promise<AffineOf<G>[]>;
  close(): void;
}

const sumBytes = (group: CurveGroup): number => (3 / 2) * POINT_BYTES[group];
const groupsOf = (count: number): number => Math.max(1, Math.ceil(count / SPAN));

/** For at most `arrays` arrays of `count` points each. */
export async function openCompleteSums<G extends CurveGroup>(
  context: GpuContext,
  group: G,
  { arrays, count }: { readonly arrays: number; readonly count: number },
): Promise<CompleteSums<G>> {
  const kernel = (projective: boolean): Promise<Kernel> =>
    context.kernels.get({
      file: 'curve/sum-complete.wgsl',
      bindings: 'rwu',
      workgroupSize: WORKGROUP,
      constants: { PROJECTIVE: { type: 'bool', value: projective ? 1 : 0 } },
      substitute: { 'curve/coordinate.wgsl': `curve/coordinate-${group}.wgsl` },
    });
  const [affine, projective] = await Promise.all([kernel(false), kernel(true)]);
  const take = (sums: number, label: string): GPUBuffer =>
    context.buffers.take('scratch', sums * sumBytes(group), label);
  const parts = take(arrays * groupsOf(count), 'sums of workgroups');
  const sums = take(arrays, 'sums');
  const one = new Uint32Array(COORDINATE_WORDS);
  writeBiasedConstant(FP_VARIANTS[context.variants.fp], one, 0, 1n);
  const params = (
    points: Omit<FewPoints, 'rows'>,
    { span, perArray }: { span: number; perArray: number },
  ): number[] => {
    const groups = points.arrays * perArray;
    return [points.count, points.stride, span, perArray, groups, 1, LOG_WORKGROUP, 0, ...one];
  };
  return {
    record: async (commands, points) => {
      const perArray = groupsOf(points.count);
      const first = params(points, { span: SPAN, perArray });
      commands.dispatch(affine, [points.rows, parts], points.arrays * perArray, first);
      const left = { arrays: points.arrays, count: perArray, stride: perArray };
      const span = WORKGROUP * Math.ceil(perArray / WORKGROUP);
      commands.dispatch(
        projective,
        [parts, sums],
        points.arrays,
        params(left, { span, perArray: 1 }),
      );
      await commands.spend(points.arrays * points.count);
    },
    read: async (read) => {
      const words = new Uint32Array(await readBuffer(context, sums, 0, read * sumBytes(group)));
      return Array.from({ length: read }, (_, i) => affineOf(context, group, words, i));
    },
    close: () => {
      context.buffers.give(parts);
      context.buffers.give(sums);
    },
  };
}

/** Sum `i` as an affine point: (X/Z, Y/Z), in which the Montgomery factors cancel. */
function affineOf<G extends CurveGroup>(
  { variants }: GpuContext,
  group: G,
  words: Uint32Array,
  i: number,
): AffineOf<G> {
  const field = FP_VARIANTS[variants.fp];
  const elements = sumBytes(group) / (4 * COORDINATE_WORDS);
  const at = (j: number): bigint =>
    readElement(field, words, (i * elements + j) * COORDINATE_WORDS);
  if (group === 'g1') {
    const [x, y, z] = [at(0), at(1), at(2)];
    if (z === 0n) return null as AffineOf<G>;
    const inverse = fpInvert(z);
    return pointOfCoordinates(group, [fpMul(x, inverse), fpMul(y, inverse)]) as AffineOf<G>;
  }
  const [x, y, z] = [0, 2, 4].map((j) => ({ c0: at(j), c1: at(j + 1) }));
  if (z.c0 === 0n && z.c1 === 0n) return null as AffineOf<G>;
  const inverse = fp2Invert(z);
  const [u, v] = [fp2Mul(x, inverse), fp2Mul(y, inverse)];
  return pointOfCoordinates(group, [u.c0, u.c1, v.c0, v.c1]) as AffineOf<G>;
}
