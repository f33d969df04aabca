import { beforeAll, describe, expect, it } from 'vitest';
import { openBufferPool } from '../device/buffer-pool.ts';
import type { FieldVariants, GpuContext } from '../device/context.ts';
import { openNullDevice, readKernel } from '../device/device.ts';
import { createKernelCache } from '../device/kernel.ts';
import { createWallTimer } from '../device/timing.ts';
import { openFixedBase } from '../msm/fixed-base.ts';
import { openDigitSort } from '../msm/msm-sort.ts';
import { openSelectedLists } from '../msm/sum-selected-list.ts';
import { openPairTree } from './pair-tree.ts';
import { HARDWARE_FORM, SOFTWARE_FORM } from './pair-tree-kernels.ts';
import { encodePointsOnDevice } from './point-convert-encode.ts';
import { openPointLoader } from './point-convert-load.ts';
import { placeKernel } from './point-convert-place.ts';
import { allocatePoints, type CurveGroup } from './point-segments.ts';

/** A device that lays out and compiles everything within WebGPU's default limits, and computes nothing. */
function contextOn(device: GPUDevice, fp: FieldVariants['fp'], software: boolean): GpuContext {
  const variants: FieldVariants = { fp, fr: 'signed24' };
  const { limits } = device;
  return {
    device,
    variants,
    traits: {
      description: 'null',
      software,
      maxBindingBytes: limits.maxStorageBufferBindingSize,
      maxBufferBytes: limits.maxBufferSize,
      workgroupBytes: limits.maxComputeWorkgroupStorageSize,
      workgroupInvocations: limits.maxComputeInvocationsPerWorkgroup,
      storageBuffersPerStage: limits.maxStorageBuffersPerShaderStage,
      timestamps: false,
    },
    kernels: createKernelCache(device, variants, readKernel),
    buffers: openBufferPool(device),
    timer: createWallTimer(() => performance.now()),
    news: {},
  };
}

const CASES = (['signed24', 'signed13'] as const).flatMap((fp) =>
  (['g1', 'g2'] as const).flatMap((group) =>
    [true, false].map((software) => ({ fp, group, software })),
  ),
);

describe('kernels over points compile within the default limits', () => {
  let device: GPUDevice;
  beforeAll(async () => {
    device = await openNullDevice();
  });

  it.each(CASES)('$group, $fp, software form: $software', async ({ fp, group, software }) => {
    const context = contextOn(device, fp, software);
    expect(context.traits.workgroupBytes).toBe(16_384);
    expect(context.traits.storageBuffersPerStage).toBe(8);
    const form = software ? SOFTWARE_FORM : HARDWARE_FORM;
    const tree = await openPairTree(
      context,
      group,
      { elements: 64, arenaPoints: 64, groups: 8 },
      form,
    );
    const sort = await openDigitSort(context, group as CurveGroup, {
      entries: 64,
      elements: 64,
      buckets: 8,
    });
    (await openSelectedLists(context, tree, { chunkWords: 1, listLength: 32 }, 2)).close();
    const run = { phase: 'null' };
    (await openFixedBase(context, group as CurveGroup, 4, run)).close();
    const loader = await openPointLoader(
      context,
      group as CurveGroup,
      4,
      { kind: 'in order' },
      run,
    );
    await loader.close();
    for (const placement of [0, 1, 2] as const) await placeKernel(context, group, placement);
    const points = allocatePoints(context, group as CurveGroup, 0, 'none');
    for await (const _ of encodePointsOnDevice(context, points, 0, 0, run)) expect.unreachable();
    sort.close();
    tree.close();
    // the null back end has little memory, and all cases share it
    context.buffers.trim();
    expect(context.kernels.compiled.count).toBeGreaterThan(20);
  });
});
