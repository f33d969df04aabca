import { CuzkError } from '@cuzk/core/errors';
import type { GpuContext } from './context.ts';
import { faultsOf } from './device-faults.ts';
import { oneForEach } from './one-for-each.ts';

/** Calls that a device has not ended yet, and why it never will where it is lost. */
const underWayOf = oneForEach((device: GPUDevice) => {
  const underWay: { calls: number; lost?: GPUDeviceLostInfo } = { calls: 0 };
  device.lost.then((info) => {
    underWay.lost = info;
  });
  return underWay;
});

/**
 * Runs a piece of work. What the device refused before it, to its owner or to work that has failed, is no business of
 * this one; what it refuses meanwhile fails all calls that are under way, since nobody can tell whose it was. Only what
 * is `watched` is told apart. Throws what `work` throws, CuzkError GPU_OUT_OF_MEMORY or INTERNAL for a refusal,
 * GPU_DEVICE_LOST.
 */
export async function deviceCall<T>(
  { device }: Pick<GpuContext, 'device'>,
  work: () => Promise<T>,
): Promise<T> {
  const faults = faultsOf(device);
  const underWay = underWayOf(device);
  if (underWay.calls === 0) faults.forget();
  const before = faults.count;
  underWay.calls++;
  try {
    const result = await work();
    faults.throwSince(before);
    return result;
  } catch (error) {
    if (error instanceof CuzkError || underWay.lost === undefined) throw error;
    const { reason, message } = underWay.lost;
    const facts = { found: `${reason}: ${message}`, action: 'ask an adapter for a new device' };
    throw new CuzkError('GPU_DEVICE_LOST', 'the device was lost', facts, error);
  } finally {
    underWay.calls--;
  }
}
