import { FR_BYTES, frInvert, frMul, frPow, frRootOfUnity } from '@cuzk/core/field/fr';
import { groupsFor } from '../device/commands.ts';
import type { GpuContext } from '../device/context.ts';
import type { Kernel } from '../device/kernel.ts';
import type { PacedCommands } from '../device/paced-commands.ts';
import { FR_VARIANTS, writeBiasedConstant } from '../field/field-variants.ts';
import { type Direction, TILE_LOG } from './ntt-plan.ts';

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
  logN: number,
  base: bigint,
  factor = 1n,
): PowerTable {
  const lowBits = Math.ceil(logN / 2);
  const low = uploadPowers(context, base, factor, 2 ** lowBits);
  const high = uploadPowers(context, frPow(base, 1n << BigInt(lowBits)), 1n, 2 ** (logN - lowBits));
  return { logN, lowBits, low, high };
}

/** Destroys the buffers of a table. */
export function dropPowerTable(context: GpuContext, table: PowerTable): void {
  context.buffers.drop(table.low);
  context.buffers.drop(table.high);
}

/** The eight words of a constant as kernels read it with unpack_biased, for a uniform. */
export function biasedConstant(context: GpuContext, value: bigint): Uint32Array {
  const field = FR_VARIANTS[context.variants.fr];
  const words = new Uint32Array(field.words);
  writeBiasedConstant(field, words, 0, value);
  return words;
}

/** The fourth root of unity of each direction, for a uniform. */
export const createFourthRoots = (
  context: GpuContext,
): Readonly<Record<Direction, Uint32Array>> => ({
  forward: biasedConstant(context, frRootOfUnity(2)),
  inverse: biasedConstant(context, frInvert(frRootOfUnity(2))),
});

function uploadPowers(context: GpuContext, base: bigint, factor: bigint, count: number): GPUBuffer {
  const field = FR_VARIANTS[context.variants.fr];
  const words = new Uint32Array(count * field.words);
  let value = factor;
  for (let i = 0; i < count; i++) {
    writeBiasedConstant(field, words, i * field.words, value);
    value = frMul(value, base);
  }
  const buffer = context.buffers.take('shape', words.byteLength, 'powers');
  context.device.queue.writeBuffer(buffer, 0, words);
  return buffer;
}

/** The powers of the root of unity of order 2^logN. */
export const createRootTable = (context: GpuContext, logN: number): PowerTable =>
  createPowerTable(context, logN, frRootOfUnity(logN));

/** All powers w^i, i < count, of the root of order 2^logOrder, filled in on the device. */
export async function expandRoots(
  context: GpuContext,
  paced: PacedCommands,
  roots: PowerTable,
  logOrder: number,
  count: number,
): Promise<GPUBuffer> {
  const kernel = await expandKernel(context, false);
  const out = context.buffers.take('shape', count * FR_BYTES, `roots of order 2^${logOrder}`);
  paced.commands.dispatch(kernel, [out, roots.low, roots.high], groupsFor(count, WORKGROUP), [
    count,
    roots.logN - logOrder,
    roots.logN,
    roots.lowBits,
    0,
    0,
    0,
  ]);
  await paced.spend(count);
  return out;
}

/** Powers w^i, i < 2^TILE_LOG, of the root of that order. */
export function createTileRoots(context: GpuContext): GPUBuffer {
  return uploadPowers(context, frRootOfUnity(TILE_LOG), 1n, 2 ** TILE_LOG);
}

/** Twiddles between a pass of `levels` levels on blocks of 2^logBlock points and the passes inside it, in access order. */
export async function createBoundary(
  context: GpuContext,
  paced: PacedCommands,
  roots: PowerTable,
  logBlock: number,
  levels: number,
  inverse: boolean,
): Promise<GPUBuffer> {
  const kernel = await expandKernel(context, true);
  const count = 2 ** logBlock;
  const out = context.buffers.take('shape', count * FR_BYTES, `boundary of 2^${logBlock}`);
  paced.commands.dispatch(kernel, [out, roots.low, roots.high], groupsFor(count, WORKGROUP), [
    count,
    roots.logN - logBlock,
    roots.logN,
    roots.lowBits,
    inverse ? 1 : 0,
    logBlock - levels,
    levels,
  ]);
  await paced.spend(count);
  return out;
}

const expandKernel = (context: GpuContext, boundary: boolean): Promise<Kernel> =>
  context.kernels.get({
    file: 'ntt/expand-roots.wgsl',
    bindings: 'wrru',
    workgroupSize: WORKGROUP,
    constants: { BOUNDARY: { type: 'bool', value: boundary ? 1 : 0 } },
  });
