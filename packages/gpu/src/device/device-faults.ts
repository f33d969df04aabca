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
  /** Refusals so far, forgotten ones too. */
  readonly count: number;
  /** As throwIfAny, where there were more than `count` of them: for the latest. */
  throwSince(count: number): void;
}

/** Watches a device from the first call on. */
export const faultsOf = oneForEach((device: GPUDevice): DeviceFaults => {
  let first: GPUError | undefined;
  let latest: GPUError | undefined;
  let count = 0;
  device.addEventListener('uncapturederror', (event) => {
    first ??= event.error;
    latest = event.error;
    count++;
  });
  return {
    throwIfAny: () => {
      if (first !== undefined) throw asCuzkError(first);
    },
    forget: () => {
      first = undefined;
    },
    get count() {
      return count;
    },
    throwSince: (before) => {
      if (latest !== undefined && count > before) throw asCuzkError(latest);
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

const KINDS = ['validation', 'out-of-memory', 'internal'] as const;

/**
 * Runs `work`, which waits for nothing, and keeps what the device refuses to it apart from all else: `accepted` rejects
 * as throwIfAny does, and nobody else hears of it.
 */
export function watched<T>(
  device: GPUDevice,
  work: () => T,
): { readonly value: T; readonly accepted: Promise<void> } {
  for (const kind of KINDS) device.pushErrorScope(kind);
  const end = (): Promise<(GPUError | null)[]> =>
    Promise.all(KINDS.map(() => device.popErrorScope()));
  let value: T;
  try {
    value = work();
  } catch (error) {
    end().catch(() => {});
    throw error;
  }
  const accepted = end().then((refused) => {
    const error = refused.find((one) => one !== null);
    if (error) throw asCuzkError(error);
  });
  // whoever uses the value hears of it
  accepted.catch(() => {});
  return { value, accepted };
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
