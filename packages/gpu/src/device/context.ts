import type { BufferPool } from './buffer-pool.ts';
import type { KernelCache } from './kernel.ts';
import type { PhaseTimer } from './timing.ts';

/** Which generated multiplier the kernels are linked with (docs/kernels.md). */
export interface FieldVariants {
  readonly fp: 'signed24' | 'signed13';
  readonly fr: 'signed24' | 'karatsuba13';
}

/** Seconds of the parts of an MSM, from which the number of its windows follows (msm-plan.ts). */
export interface MsmRates {
  /** One addition in G1, in a round of many. */
  readonly addition: number;
  /** What a round takes however small it is. */
  readonly round: number;
  /** One digit: cut, counted, sorted. */
  readonly entry: number;
  /** One bucket of one segment: planned in every round, collected, seeded. */
  readonly bucket: number;
}

/** What a plan may count on. Sizes in bytes unless said otherwise. */
export interface DeviceTraits {
  /** One line for people: vendor, description, back end. */
  readonly description: string;
  /** True on a CPU rasteriser (llvmpipe, lavapipe, SwiftShader): other kernel forms win there. */
  readonly software: boolean;
  readonly maxBindingBytes: number;
  readonly maxBufferBytes: number;
  readonly workgroupBytes: number;
  readonly workgroupInvocations: number;
  readonly storageBuffersPerStage: number;
  readonly timestamps: boolean;
  /** As measured on this adapter; without it, typical ones of its kind. */
  readonly msmRates?: MsmRates;
}

/** What a watchdog listens to. */
export interface DeviceNews {
  /** Called whenever the device has finished a submit, with its phase. */
  onSubmitDone?: ((phase: string) => void) | undefined;
}

/** Everything an algorithm needs of a device. It knows no queue, no file and no circuit. */
export interface GpuContext {
  readonly device: GPUDevice;
  readonly traits: DeviceTraits;
  readonly variants: FieldVariants;
  readonly kernels: KernelCache;
  readonly buffers: BufferPool;
  readonly timer: PhaseTimer;
  readonly news: DeviceNews;
}
