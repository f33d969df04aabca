import { expect, it } from 'vitest';
import type { FieldVariants } from '../device/context.ts';
import { openNullDevice, readKernel } from '../device/device.ts';
import { createKernelCache } from '../device/kernel.ts';
import { powerKernel } from '../ntt/powers.ts';
import { compactKernel } from './dense-exponents.ts';
import { combineKernel } from './exponents-on-device.ts';
import { itemSumsKernel } from './item-sums.ts';
import { runSumsKernel } from './run-sums.ts';

it.each(['signed24', 'karatsuba13'] as FieldVariants['fr'][])(
  'kernels of exponents compile within the default limits, Fr %s',
  async (fr) => {
    const device = await openNullDevice();
    const variants: FieldVariants = { fp: 'signed24', fr };
    const context = { kernels: createKernelCache(device, variants, readKernel) };
    expect(device.limits.maxStorageBuffersPerShaderStage).toBe(8);
    await Promise.all([
      powerKernel(context),
      itemSumsKernel(context),
      runSumsKernel(context),
      combineKernel(context),
      compactKernel(context),
    ]);
    expect(context.kernels.compiled.count).toBe(5);
    device.destroy();
  },
);
