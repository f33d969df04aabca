import { FR_BYTES } from '@cuzk/core/field/fr';
import { assertShape } from '@cuzk/core/groth16/qap-at-tau';
import { frDomainFor } from '@cuzk/core/poly/domain';
import { type CircuitShape, domainRows } from '@cuzk/core/r1cs/shape';
import type { GpuContext } from '../device/context.ts';
import type { Kernel } from '../device/kernel.ts';
import { type PacedCommands, paceCommands } from '../device/paced-commands.ts';
import { type FrVector, giveFrVector, segmentRanges } from '../field/fr-vector.ts';
import {
  type DeviceTerms,
  dropTerms,
  type ItemSums,
  itemSumsKernel,
  recordItemSums,
  uploadCoefficients,
  uploadTerms,
} from './item-sums.ts';
import { lagrangeOnDevice } from './lagrange.ts';
import {
  type ColumnAdditions,
  dropAdditions,
  type LongColumnOptions,
  sumLongColumns,
} from './long-columns.ts';
import { type QapMatrix, type TransposedSegment, transposeShape } from './qap-columns.ts';
import { recordRunSums, runSumsKernel, uploadRuns } from './run-sums.ts';

/** The QAP of a circuit at τ on the device: the twin of core's evaluateQapAtTau, a range of columns at a time. */
export interface QapOnDevice {
  /** Columns of the circuit: inputs, then aux. */
  readonly columns: number;
  /**
   * Writes columns first … first + count − 1 of u (matrix a), v (b) or w (c) to the first elements of `out`, plain
   * values in stored form. Input rows are part of u.
   */
  evaluate(
    paced: PacedCommands,
    matrix: QapMatrix,
    first: number,
    count: number,
    out: GPUBuffer,
  ): Promise<void>;
  close(): void;
}

/** Limits that tests make small. */
export interface QapOptions extends Partial<LongColumnOptions> {
  readonly signal?: AbortSignal;
  /** Elements in each buffer of L, a power of two; as many as the device allows where undefined. */
  readonly segmentLength?: number;
}

const LIMITS: LongColumnOptions = {
  mostPartials: 2 ** 21,
  mostTerms: 256,
  // terms are cut so that each part fits the smallest binding WebGPU promises
  mostWords: 2 ** 25 - 2 ** 20,
};

/**
 * Computes L(τ), transposes the matrices of the shape one after the other and sums their long columns. On the device
 * stay L (32 bytes a row of the domain) and 8 bytes for each term of the templates. Throws CuzkError SETUP_FAILED for τ
 * in the domain, SHAPE_MALFORMED where segments do not add up, CANCELLED.
 */
export async function openQapOnDevice(
  context: GpuContext,
  shape: CircuitShape,
  tau: bigint,
  { signal, segmentLength, ...limits }: QapOptions = {},
): Promise<QapOnDevice> {
  assertShape(shape);
  const { logN } = frDomainFor(domainRows(shape));
  const lagrange = await lagrangeOnDevice(context, logN, tau, {
    ...(signal === undefined ? {} : { signal }),
    ...(segmentLength === undefined ? {} : { segmentLength }),
  });
  const coefficients = uploadCoefficients(context, shape);
  const matrices = new Map<QapMatrix, DeviceMatrix>();
  const close = (): void => {
    giveFrVector(context, lagrange);
    context.buffers.drop(coefficients);
    for (const matrix of matrices.values()) closeMatrix(context, matrix);
  };
  try {
    const sums: Sums = {
      lagrange,
      coefficients,
      kernel: await itemSumsKernel(context),
      runs: await runSumsKernel(context),
    };
    const paced = paceCommands(context, 'setup', signal);
    for (const name of ['a', 'b', 'c'] as const) {
      const matrix: DeviceMatrix = { segments: [], additions: [] };
      matrices.set(name, matrix);
      if (name === 'a') matrix.additions.push(await inputRows(context, shape, lagrange, paced));
      const options = { ...LIMITS, ...limits };
      for (const segment of transposeShape(shape, name, options.mostTerms)) {
        const { columns, slices: _, long: __, ...facts } = segment;
        const terms = uploadTerms(context, columns, options.mostWords);
        matrix.segments.push({ ...facts, terms });
        const long = await sumLongColumns(context, sums, paced, segment, options);
        if (long !== undefined) matrix.additions.push(long);
      }
    }
    await paced.finish();
    return {
      columns: shape.inputs + shape.aux,
      evaluate: async (pacer, name, first, count, out) => {
        const matrix = matrices.get(name);
        if (matrix !== undefined) await recordColumns(sums, pacer, matrix, first, count, out);
      },
      close,
    };
  } catch (error) {
    close();
    throw error;
  }
}

type Sums = ItemSums & { readonly runs: Kernel };

interface DeviceSegment extends Omit<TransposedSegment, 'columns' | 'slices' | 'long'> {
  readonly terms: DeviceTerms;
}

interface DeviceMatrix {
  readonly segments: DeviceSegment[];
  readonly additions: ColumnAdditions[];
}

function closeMatrix(context: GpuContext, { segments, additions }: DeviceMatrix): void {
  for (const { terms } of segments) dropTerms(context, terms);
  for (const each of additions) dropAdditions(context, each);
}

/** Input row k adds L at row constraints + k to column k of u (spec §4.1). */
async function inputRows(
  context: GpuContext,
  { constraints, inputs }: CircuitShape,
  lagrange: FrVector,
  paced: PacedCommands,
): Promise<ColumnAdditions> {
  const values = context.buffers.take('shape', inputs * FR_BYTES, 'input rows');
  for (const part of segmentRanges(lagrange, constraints, inputs)) {
    const to = (part.first - constraints) * FR_BYTES;
    const size = part.count * FR_BYTES;
    paced.commands.copy(part.segment, part.offset * FR_BYTES, values, to, size);
  }
  const columns = Array.from({ length: inputs }, (_, k) => ({ first: k, count: 1, target: k }));
  return { values, runs: uploadRuns(context, columns) };
}

async function recordColumns(
  sums: Sums,
  paced: PacedCommands,
  { segments, additions }: DeviceMatrix,
  first: number,
  count: number,
  out: GPUBuffer,
): Promise<void> {
  paced.commands.clear(out, 0, count * FR_BYTES);
  for (const segment of segments) {
    const { instances, inputs, aux, inputBase, auxBase, terms } = segment;
    for (const [width, offset, base] of [
      [inputs, 0, inputBase],
      [aux, inputs, auxBase],
    ]) {
      const from = Math.max(first, base);
      const to = Math.min(first + count, base + instances * width);
      if (from >= to) continue;
      const range = {
        width,
        offset,
        first: from - base,
        count: to - from,
        outStart: from - first,
      };
      await recordItemSums(sums, paced, segment, terms, range, out);
    }
  }
  for (const { values, runs } of additions) {
    await recordRunSums(sums.runs, paced, values, runs, { buffer: out, first, count });
  }
}
