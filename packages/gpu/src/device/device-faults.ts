import { CuzkError } from '@cuzk/core/errors';
import type { GpuContext } from './context.ts';
import { oneForEach } from './one-for-each.ts';

/**
 * What a device refused. WebGPU does not say it where it happens: a buffer for which there was no memory looks like any
 * other, and calls with it do nothing.
 */
export interface DeviceFaults {
  /**
   * To be asked before a result is believed. Throws CuzkError GPU_OUT_OF_MEMORY or INTERNAL for the first refusal, also
   * to whoever asks next: work that nobody waits for must not take it along.
   */
  throwIfAny(): void;
  /** When the work that a refusal has spoilt has failed. */
  forget(): void;
}

/** Watches a device from the first call on. */
export const faultsOf = oneForEach((device: GPUDevice): DeviceFaults => {
  let first: GPUError | undefined;
  device.addEventListener('uncapturederror', (event) => {
    first ??= event.error;
  });
  return {
    throwIfAny: () => {
      if (first !== undefined) throw asCuzkError(first);
    },
    forget: () => {
      first = undefined;
    },
  };
});

/** Waits until the device is done with what was submitted. Throws as throwIfAny; then the refusal is forgotten. */
export async function settle({ device }: Pick<GpuContext, 'device'>): Promise<void> {
  await device.queue.onSubmittedWorkDone();
  throwOnce(device);
}

/** For the end of work that is waited for. */
export function throwOnce(device: GPUDevice): void {
  const faults = faultsOf(device);
  try {
    faults.throwIfAny();
  } finally {
    faults.forget();
  }
}

function asCuzkError(fault: GPUError): CuzkError {
  const facts = { found: fault.message };
  if (!(fault instanceof GPUOutOfMemoryError)) {
    return new CuzkError('INTERNAL', 'the device refused a call', facts);
  }
  return new CuzkError('GPU_OUT_OF_MEMORY', 'the device had no memory for a buffer', {
    ...facts,
    action: 'free memory of the device, or bound what is taken of it with GPU_MEMORY_LIMIT',
  });
}
