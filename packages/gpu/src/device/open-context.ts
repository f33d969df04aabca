import { openBufferPool } from './buffer-pool.ts';
import type { DeviceTraits, FieldVariants, GpuContext } from './context.ts';
import { faultsOf } from './device-faults.ts';
import { createKernelCache } from './kernel.ts';
import { createTimestampTimer, createWallTimer } from './timing.ts';
import type { KernelReader } from './wgsl.ts';

const SOFTWARE_NAMES = /llvmpipe|lavapipe|swiftshader|software|softpipe/i;

/** Limits worth raising to what the adapter has; everything works at the WebGPU defaults too. */
export const RAISED_LIMITS = [
  'maxStorageBufferBindingSize',
  'maxBufferSize',
  'maxComputeInvocationsPerWorkgroup',
  'maxComputeWorkgroupSizeX',
  'maxComputeWorkgroupStorageSize',
  'maxStorageBuffersPerShaderStage',
] as const;

/** `isFallbackAdapter` is false on llvmpipe, so names decide. */
export const isSoftware = ({
  vendor,
  architecture,
  device,
  description,
}: Pick<GPUAdapterInfo, 'vendor' | 'architecture' | 'device' | 'description'>): boolean =>
  SOFTWARE_NAMES.test(`${vendor} ${architecture} ${device} ${description}`);

/**
 * What every algorithm needs, on a device that is the caller's: kernels are linked with `variants`, which the self-test
 * has allowed. Uses timestamps where the device was asked for them.
 */
export function openContext(
  device: GPUDevice,
  info: GPUAdapterInfo,
  readKernel: KernelReader,
  options: { variants?: FieldVariants; timeKernels?: boolean } = {},
): GpuContext {
  const variants = options.variants ?? { fp: 'signed24', fr: 'signed24' };
  const traits = describe(device, info);
  faultsOf(device);
  return {
    device,
    traits,
    variants,
    kernels: createKernelCache(device, variants, readKernel),
    buffers: openBufferPool(device),
    timer: traits.timestamps
      ? createTimestampTimer(device, options.timeKernels)
      : createWallTimer(() => performance.now()),
    news: {},
  };
}

function describe(device: GPUDevice, info: GPUAdapterInfo): DeviceTraits {
  return {
    description: [info.vendor, info.architecture, info.device, info.description]
      .filter((part) => part !== '')
      .join(' '),
    software: isSoftware(info),
    maxBindingBytes: device.limits.maxStorageBufferBindingSize,
    maxBufferBytes: device.limits.maxBufferSize,
    workgroupBytes: device.limits.maxComputeWorkgroupStorageSize,
    workgroupInvocations: device.limits.maxComputeInvocationsPerWorkgroup,
    storageBuffersPerStage: device.limits.maxStorageBuffersPerShaderStage,
    timestamps: device.features.has('timestamp-query'),
  };
}
