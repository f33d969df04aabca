import { CuzkError } from '@cuzk/core/errors';
import type { GpuContext } from '../device/context.ts';
import { faultsOf } from '../device/device-faults.ts';
import { oneForEach } from '../device/one-for-each.ts';

/** Calls of the library that a device has not ended yet, and why it never will where it is lost. */
const underWayOf = oneForEach((device: GPUDevice) => {
  const underWay: { calls: number; lost?: GPUDeviceLostInfo } = { calls: 0 };
  device.lost.then((info) => {
    underWay.lost = info;
  });
  return underWay;
});

/**
 * Runs a call of the library. What the device refused before it, to its owner or to a call that has failed, is no
 * business of this one; what it refuses meanwhile fails all calls that are under way, since nobody can tell whose it
 * was. Throws what `work` throws, CuzkError GPU_OUT_OF_MEMORY or INTERNAL for a refusal, GPU_DEVICE_LOST.
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
