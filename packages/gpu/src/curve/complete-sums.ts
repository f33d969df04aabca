import type { G1Affine } from '@cuzk/core/curve/points';
import { fpInvert, fpMul } from '@cuzk/core/field/fp';
import { type Binding, readBuffer } from '../device/commands.ts';
import type { GpuContext } from '../device/context.ts';
import type { Kernel } from '../device/kernel.ts';
import { FP_VARIANTS, readElement, writeBiasedConstant } from '../field/field-variants.ts';
import type { PacedCommands } from './curve-commands.ts';

const LOG_WORKGROUP = 5;
const WORKGROUP = 2 ** LOG_WORKGROUP;
/** Points of a workgroup of the first kernel: eight an invocation. */
const SPAN = 8 * WORKGROUP;
const COORDINATE_WORDS = 12;
const SUM_WORDS = 3 * COORDINATE_WORDS;

/**
 * Arrays of few affine points each, in rows: `count` of each array, one array every `stride` rows; zeros are infinity.
 */
export interface FewPoints {
  readonly rows: Binding;
  readonly arrays: number;
  readonly count: number;
  readonly stride: number;
}

/** Sums of few points of G1 by complete additions (kernels/curve/sum-complete-g1.wgsl), without rounds. */
export interface CompleteSums {
  /** Records the sums of all arrays; no more arrays and points than it was opened for. */
  record(commands: PacedCommands, points: FewPoints): Promise<void>;
  /** The sums of the first `arrays` arrays, once what was recorded is sent. */
  read(arrays: number): Promise<G1Affine[]>;
  close(): void;
}

const groupsOf = (count: number): number => Math.max(1, Math.ceil(count / SPAN));

/** For at most `arrays` arrays of `count` points each. */
export async function openCompleteSums(
  context: GpuContext,
  { arrays, count }: { readonly arrays: number; readonly count: number },
): Promise<CompleteSums> {
  const kernel = (projective: boolean): Promise<Kernel> =>
    context.kernels.get({
      file: 'curve/sum-complete-g1.wgsl',
      bindings: 'rwu',
      workgroupSize: WORKGROUP,
      constants: { PROJECTIVE: { type: 'bool', value: projective ? 1 : 0 } },
    });
  const [affine, projective] = await Promise.all([kernel(false), kernel(true)]);
  const take = (sums: number, label: string): GPUBuffer =>
    context.buffers.take('scratch', 4 * SUM_WORDS * sums, label);
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
      const words = new Uint32Array(await readBuffer(context, sums, 0, 4 * SUM_WORDS * read));
      return Array.from({ length: read }, (_, i) => affineOf(context, words, i));
    },
    close: () => {
      context.buffers.give(parts);
      context.buffers.give(sums);
    },
  };
}

/** Sum `i` as an affine point: (X/Z, Y/Z), in which the Montgomery factors cancel. */
function affineOf({ variants }: GpuContext, words: Uint32Array, i: number): G1Affine {
  const field = FP_VARIANTS[variants.fp];
  const [x, y, z] = [0, 1, 2].map((j) =>
    readElement(field, words, i * SUM_WORDS + j * COORDINATE_WORDS),
  );
  if (z === 0n) return null;
  const inverse = fpInvert(z);
  return { x: fpMul(x, inverse), y: fpMul(y, inverse) };
}
