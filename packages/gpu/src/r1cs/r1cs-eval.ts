import { CuzkError } from '@cuzk/core/errors';
import { FR_BYTES } from '@cuzk/core/field/fr';
import { frDomainFor } from '@cuzk/core/poly/domain';
import { bitmapOf, setBit } from '@cuzk/core/r1cs/bitmap';
import type { CompactWitness } from '@cuzk/core/r1cs/compact-witness';
import { type CircuitShape, domainRows } from '@cuzk/core/r1cs/shape';
import { groupsFor, readBuffer } from '../device/commands.ts';
import type { GpuContext } from '../device/context.ts';
import { type Kernel, u32Const } from '../device/kernel.ts';
import { type PacedCommands, paceCommands } from '../device/paced-commands.ts';
import { FR_VARIANTS, writeBiasedConstant, writeWords } from '../field/field-variants.ts';
import { type FrVector, segmentRanges } from '../field/fr-vector.ts';
import { buildPrograms, coefficientValues, type SegmentProgram } from './r1cs-program.ts';
import type { ShortChunk } from './r1cs-short-program.ts';

const WORKGROUP = 64;
const MOST_PROGRAM_BYTES = 2 ** 30;
const COEFFICIENT_WORDS = 16;
const LONG_ROW_WORDS = 5;

interface DeviceChunk extends Omit<ShortChunk, 'words'> {
  readonly program: GPUBuffer;
}

interface DeviceSegment extends Omit<SegmentProgram, 'chunks' | 'longRows' | 'longTerms'> {
  readonly chunks: readonly DeviceChunk[];
  readonly longCount: number;
  readonly longRows: GPUBuffer;
  readonly longTerms: GPUBuffer;
}

/** The programs of a circuit on the device; good for any number of witnesses. */
export interface DeviceShape {
  readonly shape: CircuitShape;
  /** Constraints and input rows. */
  readonly rows: number;
  /** log2 of the evaluation domain: the smallest power of two that holds all rows. */
  readonly logN: number;
  /** True where c is there too, so that rows can be checked. */
  readonly check: boolean;
  readonly segments: readonly DeviceSegment[];
  readonly coefficients: GPUBuffer;
  /** Number of the coefficient R, which turns a Montgomery product of plain values into their product. */
  readonly montgomeryCoefficient: number;
  close(): void;
}

/** log2 of the domain that proofs of a circuit are computed in; two rows at least. */
export const domainLog = (shape: CircuitShape): number =>
  Math.max(1, frDomainFor(domainRows(shape)).logN);

/** A witness on the device. */
export interface DeviceWitness {
  /** One bit per aux (compact-witness.ts); 0 where the aux is an element. */
  readonly bits: GPUBuffer;
  /** Bits of the first segment's variables by column; number 0 is ONE. */
  readonly sharedBits: GPUBuffer;
  /** Canonical inputs, then canonical elements, 32 bytes each. */
  readonly values: GPUBuffer;
  readonly inputs: number;
  readonly elements: number;
  close(): void;
}

/** What a row evaluation yields: a, b, or their product, which is c for a satisfied row. */
export type RowValues = 'a' | 'b' | 'product';

const OPERATIONS: Readonly<Record<RowValues, number>> = { a: 0, b: 1, product: 2 };

/**
 * Builds and uploads the programs of a circuit. With `check`, rows can be compared with c at the price of its terms.
 * `chunkWords` bounds the 32-bit words of one program buffer (default: what a binding holds).
 */
export function uploadShape(
  context: GpuContext,
  shape: CircuitShape,
  options: { check: boolean; chunkWords?: number },
): DeviceShape {
  const upload = (words: Uint32Array, label: string): GPUBuffer => {
    const buffer = context.buffers.take('shape', words.byteLength, label);
    if (words.length > 0) {
      context.device.queue.writeBuffer(buffer, 0, words.buffer, words.byteOffset, words.byteLength);
    }
    return buffer;
  };
  const chunkWords =
    options.chunkWords ?? Math.min(MOST_PROGRAM_BYTES, context.traits.maxBindingBytes) / 4 - 1024;
  const segments = buildPrograms(shape, options.check, chunkWords).map(
    ({ chunks, longRows, longTerms, ...facts }): DeviceSegment => ({
      ...facts,
      chunks: chunks.map(({ words, ...chunk }) => ({ ...chunk, program: upload(words, 'rows') })),
      longCount: longRows.length / LONG_ROW_WORDS,
      longRows: upload(longRows, 'long rows'),
      longTerms: upload(longTerms, 'long terms'),
    }),
  );
  const field = FR_VARIANTS[context.variants.fr];
  const values = [...coefficientValues(shape), field.montgomeryR % field.modulus];
  const coefficientWords = new Uint32Array(values.length * COEFFICIENT_WORDS);
  values.forEach((value, i) => {
    writeWords(coefficientWords, i * COEFFICIENT_WORDS, field.words, value);
    writeBiasedConstant(field, coefficientWords, i * COEFFICIENT_WORDS + field.words, value);
  });
  const coefficients = upload(coefficientWords, 'coefficients');
  const rows = domainRows(shape);
  return {
    shape,
    rows,
    logN: domainLog(shape),
    check: options.check,
    segments,
    coefficients,
    montgomeryCoefficient: values.length - 1,
    close: () => {
      context.buffers.drop(coefficients);
      for (const { chunks, longRows, longTerms } of segments) {
        for (const buffer of [longRows, longTerms, ...chunks.map((chunk) => chunk.program)]) {
          context.buffers.drop(buffer);
        }
      }
    },
  };
}

/** Uploads a witness of the circuit. Throws WITNESS_MALFORMED where it has other sizes than the circuit. */
export function uploadWitness(
  context: GpuContext,
  { shape, segments }: DeviceShape,
  witness: CompactWitness,
): DeviceWitness {
  const elements = segments.reduce((sum, each) => sum + each.instances * each.elements, 0);
  requireSize('inputs', shape.inputs * FR_BYTES, witness.inputs.byteLength);
  requireSize('bit plane', Math.ceil(shape.aux / 32) * 4, witness.bitPlane.byteLength);
  requireSize('elements', elements * FR_BYTES, witness.elements.byteLength);
  const { queue } = context.device;
  const take = (sizeBytes: number, label: string): GPUBuffer =>
    context.buffers.take('witness', sizeBytes, label);
  const write = (buffer: GPUBuffer, offset: number, data: Uint8Array | Uint32Array): void => {
    if (data.byteLength > 0) {
      queue.writeBuffer(buffer, offset, data.buffer, data.byteOffset, data.byteLength);
    }
  };
  const bits = take(witness.bitPlane.byteLength, 'bit plane');
  write(bits, 0, witness.bitPlane);
  const shared = sharedBitsOf(shape, witness);
  const sharedBits = take(shared.byteLength, 'shared bits');
  write(sharedBits, 0, shared);
  const values = take((shape.inputs + elements) * FR_BYTES, 'inputs and elements');
  write(values, 0, witness.inputs);
  write(values, shape.inputs * FR_BYTES, witness.elements);
  return {
    bits,
    sharedBits,
    values,
    inputs: shape.inputs,
    elements,
    close: () => {
      for (const buffer of [bits, sharedBits, values]) context.buffers.give(buffer);
    },
  };
}

function requireSize(what: string, expected: number, found: number): void {
  if (expected === found) return;
  throw new CuzkError('WITNESS_MALFORMED', `The witness does not fit the circuit: ${what}.`, {
    expected: `${expected} bytes`,
    found: `${found} bytes`,
  });
}

function sharedBitsOf(shape: CircuitShape, { bitPlane }: CompactWitness): Uint32Array {
  const { inputs, aux } = shape.segments[0];
  const shared = bitmapOf(inputs + aux);
  setBit(shared, 0);
  for (let i = 0; i < aux; i++) {
    if (((bitPlane[i >>> 5] >>> (i & 31)) & 1) === 1) setBit(shared, inputs + i);
  }
  return shared;
}

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
}

async function valueKernels(context: GpuContext, what: RowValues): Promise<ValueKernels> {
  const constants = { OP: u32Const(OPERATIONS[what]) };
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
  return { short, long };
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
      await recordSegment(paced, deviceShape, segment, witness, { short, long }, part);
    }
    await paced.finish();
    const [count, first] = new Uint32Array(await readBuffer(context, result, 0, 8));
    return { count, first: count === 0 ? undefined : first };
  } finally {
    context.buffers.give(result);
  }
}
