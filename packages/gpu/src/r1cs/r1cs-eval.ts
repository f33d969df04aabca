import { FR_BYTES } from '@cuzk/core/field/fr';
import { groupsFor, readBuffer } from '../device/commands.ts';
import type { GpuContext } from '../device/context.ts';
import type { Kernel } from '../device/kernel.ts';
import { type PacedCommands, paceCommands } from '../device/paced-commands.ts';
import { type FrVector, segmentRanges } from '../field/fr-vector.ts';
import type { DeviceSegment, DeviceShape } from './device-shape.ts';
import type { DeviceWitness } from './device-witness.ts';

const WORKGROUP = 64;

/** What a row evaluation yields: a, b, or their product, which is c for a satisfied row. */
export type RowValues = 'a' | 'b' | 'product';

/** Number of a matrix among those of a row. */
const MATRICES: Readonly<Record<RowValues, number>> = { a: 0, b: 1, product: 0 };

/**
 * Writes the values of all rows into `out` (2^logN elements): those of the constraints, then the input rows (spec
 * §4.1: a is the input, b and c are zero), then zeros.
 */
export async function evaluateRows(
  context: GpuContext,
  paced: PacedCommands,
  deviceShape: DeviceShape,
  witness: DeviceWitness,
  what: RowValues,
  out: FrVector,
): Promise<void> {
  const { shape, rows, segments } = deviceShape;
  if (out.length < rows) throw new RangeError(`out: expected at least ${rows} elements`);
  const kernels = await valueKernels(context, what);
  for (const part of segmentRanges(out, shape.constraints)) {
    paced.commands.clear(part.segment, part.offset * FR_BYTES, part.count * FR_BYTES);
  }
  if (what === 'a') {
    for (const part of segmentRanges(out, shape.constraints, shape.inputs)) {
      const from = (part.first - shape.constraints) * FR_BYTES;
      const size = part.count * FR_BYTES;
      paced.commands.copy(witness.values, from, part.segment, part.offset * FR_BYTES, size);
    }
  }
  if (shape.constraints === 0) return;
  for (const part of segmentRanges(out, 0, shape.constraints)) {
    // a segment of the vector starts at its first row, so offsets are zero here
    for (const segment of segments) {
      await recordSegment(paced, deviceShape, segment, witness, kernels, part);
    }
  }
}

interface ValueKernels {
  readonly short: Kernel;
  readonly long: Kernel;
  readonly matrix: number;
}

async function valueKernels(context: GpuContext, what: RowValues): Promise<ValueKernels> {
  const constants = { PRODUCT: { type: 'bool', value: what === 'product' ? 1 : 0 } } as const;
  const [short, long] = await Promise.all([
    context.kernels.get({
      file: 'r1cs/short-values.wgsl',
      bindings: 'wrrru',
      workgroupSize: WORKGROUP,
      constants,
    }),
    context.kernels.get({
      file: 'r1cs/long-values.wgsl',
      bindings: 'wrrrrrru',
      workgroupSize: WORKGROUP,
      constants,
    }),
  ]);
  return { short, long, matrix: MATRICES[what] };
}

/** Where results go: a segment of a vector, or (check) the counters for all rows. */
interface OutputPart {
  readonly segment: GPUBuffer;
  readonly first: number;
  readonly count: number;
}

async function recordSegment(
  paced: PacedCommands,
  deviceShape: DeviceShape,
  segment: DeviceSegment,
  witness: DeviceWitness,
  kernels: ValueKernels,
  part: OutputPart,
): Promise<void> {
  const { rows, instances, firstRow } = segment;
  if (rows === 0) return;
  // instances of which some row lies in this part
  const from = Math.max(0, Math.floor((part.first - firstRow) / rows));
  const to = Math.min(instances, Math.ceil((part.first + part.count - firstRow) / rows));
  if (to <= from) return;
  for (const chunk of segment.chunks) {
    const count = chunk.rows * (to - from);
    paced.commands.dispatch(
      kernels.short,
      [part.segment, witness.bits, witness.sharedBits, chunk.program],
      groupsFor(count, WORKGROUP),
      [
        chunk.rows,
        firstRow + chunk.firstRow,
        rows,
        segment.auxBase,
        segment.aux,
        from,
        count,
        part.first,
        part.count,
        ...chunk.bases,
        kernels.matrix,
      ],
    );
    await paced.spend(count / 8);
  }
  if (segment.longCount === 0) return;
  const count = segment.longCount * (to - from);
  paced.commands.dispatch(
    kernels.long,
    [
      part.segment,
      witness.bits,
      witness.sharedBits,
      witness.values,
      deviceShape.coefficients,
      segment.longRows,
      segment.longTerms,
    ],
    groupsFor(count, WORKGROUP),
    [
      segment.longCount,
      firstRow,
      rows,
      segment.auxBase,
      segment.aux,
      from,
      count,
      part.first,
      part.count,
      segment.inputBase,
      segment.inputs,
      witness.inputs + segment.elementBase,
      segment.elements,
      deviceShape.montgomeryCoefficient,
      kernels.matrix,
      1,
    ],
  );
  await paced.spend(((to - from) * segment.longTerms.size) / 32);
}

/** The rows that the witness does not satisfy. */
export interface UnsatisfiedRows {
  readonly count: number;
  /** Row of the circuit; undefined where there is none. */
  readonly first: number | undefined;
}

/**
 * Compares a·b with c in every constraint. The shape must have been uploaded with `check` (TypeError otherwise).
 * Throws CANCELLED once the signal fires.
 */
export async function countUnsatisfiedRows(
  context: GpuContext,
  deviceShape: DeviceShape,
  witness: DeviceWitness,
  signal?: AbortSignal,
): Promise<UnsatisfiedRows> {
  if (!deviceShape.check) throw new TypeError('the shape was uploaded without c');
  const [short, long] = await Promise.all([
    context.kernels.get({
      file: 'r1cs/short-check.wgsl',
      bindings: 'wrrru',
      workgroupSize: WORKGROUP,
    }),
    context.kernels.get({
      file: 'r1cs/long-check.wgsl',
      bindings: 'wrrrrrru',
      workgroupSize: WORKGROUP,
    }),
  ]);
  const result = context.buffers.take('scratch', 16, 'unsatisfied rows');
  try {
    context.device.queue.writeBuffer(result, 0, Uint32Array.of(0, 0xffffffff, 0, 0));
    const paced = paceCommands(context, 'r1cs_check', signal);
    const part = { segment: result, first: 0, count: deviceShape.shape.constraints };
    for (const segment of deviceShape.segments) {
      await recordSegment(paced, deviceShape, segment, witness, { short, long, matrix: 0 }, part);
    }
    await paced.finish();
    const [count, first] = new Uint32Array(await readBuffer(context, result, 0, 8));
    return { count, first: count === 0 ? undefined : first };
  } finally {
    context.buffers.give(result);
  }
}
