import type { GpuContext } from '../device/context.ts';
import { deviceCall } from '../device/device-call.ts';
import { createKernelCache } from '../device/kernel.ts';
import { openContext, RAISED_LIMITS } from '../device/open-context.ts';
import { sameForms } from '../field/field-variants.ts';
import { runSelfTest } from '../field/self-test.ts';

/** A device that multiplies right, ready for `msm`, `ntt`, `setup` and `prove`. */
export interface Gpu {
  readonly context: GpuContext;
}

/** WGSL texts by path: `kernelTexts` of @cuzk/gpu/kernel-texts, or whatever reads the package's folder kernels. */
export type KernelTexts = Readonly<Record<string, string>>;

/** What to ask an adapter for, so that large inputs work: `adapter.requestDevice(deviceDescriptor(adapter))`. */
export function deviceDescriptor(adapter: GPUAdapter): GPUDeviceDescriptor {
  const requiredLimits: Record<string, number> = {};
  for (const name of RAISED_LIMITS) requiredLimits[name] = adapter.limits[name];
  return {
    requiredLimits,
    requiredFeatures: adapter.features.has('timestamp-query') ? ['timestamp-query'] : [],
  };
}

/**
 * Tests the multipliers on any WebGPU device, of Node or of a browser, with any limits from the defaults up, and picks
 * the fastest form that it computes right. The device stays the caller's: destroy it when done. Throws CuzkError
 * GPU_SELF_TEST_FAILED where no form is right, GPU_KERNEL_INVALID.
 */
export async function openGpu(device: GPUDevice, kernels: KernelTexts): Promise<Gpu> {
  const read = (path: string): string => {
    const text = kernels[path];
    if (text === undefined) throw new RangeError(`kernels: expected ${path} among the texts`);
    return text;
  };
  const context = openContext(device, device.adapterInfo, read);
  const { variants } = await deviceCall(context, () => runSelfTest(context));
  if (sameForms(variants, context.variants)) return { context };
  return { context: { ...context, variants, kernels: createKernelCache(device, variants, read) } };
}
