import { CuzkError } from '@cuzk/core/errors';
import { oneForEach } from './one-for-each.ts';

/**
 * What a device refused. WebGPU does not say it where it happens: a buffer for which there was no memory looks like any
 * other, and calls with it do nothing.
 */
export interface DeviceFaults {
  /**
   * To be asked before a result is believed. Throws CuzkError GPU_OUT_OF_MEMORY or INTERNAL for the first refusal since
   * it was last asked.
   */
  throwIfAny(): void;
}

/** Watches a device from the first call on. */
export const faultsOf = oneForEach((device: GPUDevice): DeviceFaults => {
  let first: GPUError | undefined;
  device.addEventListener('uncapturederror', (event) => {
    first ??= event.error;
  });
  return {
    throwIfAny: () => {
      if (first === undefined) return;
      const fault = first;
      first = undefined;
      throw asCuzkError(fault);
    },
  };
});

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
