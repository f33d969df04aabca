import { FR_MODULUS, frInvert, frMul } from '@cuzk/core/field/fr';
import { groupsFor } from '../device/commands.ts';
import type { GpuContext } from '../device/context.ts';
import type { Kernel } from '../device/kernel.ts';
import type { PacedCommands } from '../device/paced-commands.ts';
import { createPowerTable, dropPowerTable } from './ntt-tables.ts';
import { commonField } from './transform-field.ts';

const WORKGROUP = 64;

/** Which positions of the sequence an element of a buffer stands for. */
export interface PowerRange {
  readonly start: number;
  readonly count: number;
  readonly order: 'natural' | 'bit-reversed';
}

/** The sequence factor·base^i, i < end, then zeros up to 2^logN, as canonical elements in either order. */
export interface Powers {
  /** Writes positions start … start + count − 1 to the first elements of `out`. */
  fill(paced: PacedCommands, range: PowerRange, out: GPUBuffer): Promise<void>;
  close(): void;
}

/** Prepares the powers of canonical values; 1 ≤ logN ≤ 32, `end` defaults to 2^logN. */
export async function openPowers(
  context: GpuContext,
  logN: number,
  base: bigint,
  factor: bigint,
  end = 2 ** logN,
): Promise<Powers> {
  const kernel = await powerKernel(context);
  const field = commonField(context);
  // tables hold Montgomery constants: without R in the low one, a product of two entries is a plain value
  const plain = frMul(factor, frInvert(field.montgomeryR % FR_MODULUS));
  const table = createPowerTable(context, field, logN, base, plain);
  return {
    fill: async (paced, { start, count, order }, out) => {
      paced.commands.dispatch(kernel, [out, table.low, table.high], groupsFor(count, WORKGROUP), [
        count,
        start,
        logN,
        table.lowBits,
        end,
        order === 'bit-reversed' ? 1 : 0,
      ]);
      await paced.spend(count);
    },
    close: () => dropPowerTable(context, table),
  };
}

export const powerKernel = (context: Pick<GpuContext, 'kernels'>): Promise<Kernel> =>
  context.kernels.get({ file: 'setup/powers.wgsl', bindings: 'wrru', workgroupSize: WORKGROUP });
