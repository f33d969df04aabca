import { FR_BYTES, frMul, frPow, frRootOfUnity } from '@cuzk/core/field/fr';
import { groupsFor } from '../device/commands.ts';
import type { GpuContext } from '../device/context.ts';
import type { Kernel } from '../device/kernel.ts';
import type { PacedCommands } from '../device/paced-commands.ts';
import type { TilePass } from './ntt-plan.ts';
import type { StepUse } from './ntt-step.ts';
import {
  type ConstantField,
  commonField,
  transformField,
  transformKernel,
} from './transform-field.ts';

const WORKGROUP = 64;

/** factor·base^i for i < 2^logN as low[i mod 2^lowBits]·high[i >> lowBits], biased constants on the device. */
export interface PowerTable {
  readonly logN: number;
  readonly lowBits: number;
  readonly low: GPUBuffer;
  readonly high: GPUBuffer;
}

/** The powers factor·base^i, i < 2^logN, of canonical values. Two tables of about 2^(logN/2) entries. */
export function createPowerTable(
  context: GpuContext,
  field: ConstantField,
  logN: number,
  base: bigint,
  factor = 1n,
): PowerTable {
  const lowBits = Math.ceil(logN / 2);
  const low = uploadPowers(context, field, base, factor, 2 ** lowBits);
  const highBase = frPow(base, 1n << BigInt(lowBits));
  const high = uploadPowers(context, field, highBase, 1n, 2 ** (logN - lowBits));
  return { logN, lowBits, low, high };
}

/** Destroys the buffers of a table. */
export function dropPowerTable(context: GpuContext, table: PowerTable): void {
  context.buffers.drop(table.low);
  context.buffers.drop(table.high);
}

/** The eight words of a constant as kernels read it with unpack_biased, for a uniform. */
export function biasedConstant(
  context: GpuContext,
  value: bigint,
  field: ConstantField = commonField(context),
): Uint32Array {
  const words = new Uint32Array(FR_BYTES / 4);
  field.writeConstant(words, 0, value);
  return words;
}

function uploadPowers(
  context: GpuContext,
  field: ConstantField,
  base: bigint,
  factor: bigint,
  count: number,
): GPUBuffer {
  const words = new Uint32Array((count * FR_BYTES) / 4);
  let value = factor;
  for (let i = 0; i < count; i++) {
    field.writeConstant(words, (i * FR_BYTES) / 4, value);
    value = frMul(value, base);
  }
  const buffer = context.buffers.take('shape', words.byteLength, 'powers');
  context.device.queue.writeBuffer(buffer, 0, words);
  return buffer;
}

/** The powers of the root of unity of order 2^logN, for transforms. */
export const createRootTable = (context: GpuContext, logN: number): PowerTable =>
  createPowerTable(context, transformField(context), logN, frRootOfUnity(logN));

/** Which powers of a root of order 2^logOrder a table holds: of (start + i)·2^logStep + offset for i < count. */
interface RootRange {
  readonly logOrder: number;
  readonly start: number;
  readonly count: number;
  readonly logStep: number;
  readonly offset: number;
}

/** Powers of a root of unity, filled in on the device. */
export async function expandRoots(
  context: GpuContext,
  paced: PacedCommands,
  roots: PowerTable,
  { logOrder, start, count, logStep, offset }: RootRange,
): Promise<GPUBuffer> {
  const kernel = await expandKernel(context, false);
  const out = context.buffers.take('shape', count * FR_BYTES, `roots of order 2^${logOrder}`);
  const shift = roots.logN - logOrder;
  paced.commands.dispatch(kernel, [out, roots.low, roots.high], groupsFor(count, WORKGROUP), [
    count,
    shift,
    roots.logN,
    roots.lowBits,
    0,
    0,
    logStep,
    offset,
    start,
  ]);
  return filled(context, out, paced.spend(count));
}

/** Powers w^i, i < 2·2^tileLog, of the root of that order. */
export const createTileRoots = (context: GpuContext, tileLog: number): GPUBuffer =>
  uploadPowers(
    context,
    transformField(context),
    frRootOfUnity(tileLog + 1),
    1n,
    2 ** (tileLog + 1),
  );

/** Twiddles between a pass and the passes inside it, in access order. */
export async function createBoundary(
  context: GpuContext,
  paced: PacedCommands,
  roots: PowerTable,
  { levels, logBlock }: Pick<TilePass, 'levels' | 'logBlock'>,
  { direction, coset }: Pick<StepUse, 'direction' | 'coset'>,
): Promise<GPUBuffer> {
  const kernel = await expandKernel(context, true);
  const count = 2 ** logBlock;
  const out = context.buffers.take('shape', count * FR_BYTES, `boundary of 2^${logBlock}`);
  paced.commands.dispatch(kernel, [out, roots.low, roots.high], groupsFor(count, WORKGROUP), [
    count,
    roots.logN - 1 - logBlock,
    roots.logN,
    roots.lowBits,
    direction === 'inverse' ? 1 : 0,
    logBlock - levels,
    levels,
    coset ? 1 : 0,
    0,
  ]);
  return filled(context, out, paced.spend(count));
}

/** A table, once its filling is on its way; where that fails it is given back. */
async function filled(
  context: GpuContext,
  table: GPUBuffer,
  spent: Promise<void>,
): Promise<GPUBuffer> {
  try {
    await spent;
    return table;
  } catch (error) {
    context.buffers.drop(table);
    throw error;
  }
}

const expandKernel = (context: GpuContext, boundary: boolean): Promise<Kernel> =>
  transformKernel(
    context,
    { file: 'ntt/expand-roots.wgsl', bindings: 'wrru', workgroupSize: WORKGROUP },
    {},
    { BOUNDARY: boundary },
  );
