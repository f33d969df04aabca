import { CuzkError } from '@cuzk/core/errors';
import type { GpuContext } from '../device/context.ts';
import { type GpuMode, type OpenedDevice, openDevice, readKernel } from '../device/device.ts';
import { createKernelCache } from '../device/kernel.ts';
import { measureMultiplier } from '../field/measure-multiplier.ts';
import { runSelfTest, type SelfTestReport } from '../field/self-test.ts';

/** A device that passed its self-test, with the multipliers the test allows. */
export interface OpenedProver {
  readonly context: GpuContext;
  readonly selfTestReport: SelfTestReport;
  /** Millions of Fp multiplications a second; on a software adapter of one core. */
  readonly fpMulPerSecond: number;
  /** Settles when the device is lost. */
  readonly lost: Promise<string>;
  /** Tests the device again. Throws CuzkError GPU_SELF_TEST_FAILED where it no longer passes as it did at first. */
  selfTest(): Promise<void>;
  close(): void;
}

/** Opens the adapter of `mode` and tests it. Errors: GPU_UNAVAILABLE, GPU_SELF_TEST_FAILED. */
export async function openProver(mode: GpuMode): Promise<OpenedProver> {
  const opened = await openDevice(mode);
  const selfTestReport = await runSelfTest(opened.context);
  const context = withVariants(opened, selfTestReport);
  return {
    context,
    selfTestReport,
    fpMulPerSecond: await measureMultiplier(context),
    lost: opened.lost,
    selfTest: async () => {
      const { variants } = await runSelfTest(context);
      const { fp, fr } = context.variants;
      if (variants.fp === fp && variants.fr === fr) return;
      throw new CuzkError(
        'GPU_SELF_TEST_FAILED',
        'this device no longer multiplies as it did at start',
        {
          expected: `fp ${fp}, fr ${fr} to pass`,
          found: `only fp ${variants.fp}, fr ${variants.fr} pass`,
          action: 'restart the process; if it happens again, replace the GPU',
        },
      );
    },
    close: opened.close,
  };
}

/** Kernels linked with other multipliers are other kernels. */
function withVariants({ context }: OpenedDevice, { variants }: SelfTestReport): GpuContext {
  const same = variants.fp === context.variants.fp && variants.fr === context.variants.fr;
  if (same) return context;
  return { ...context, variants, kernels: createKernelCache(context.device, variants, readKernel) };
}
