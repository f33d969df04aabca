import type { GpuContext } from '../device/context.ts';
import { faultsOf } from '../device/device-faults.ts';
import { oneForEach } from '../device/one-for-each.ts';

/** Calls of the library that a device has not ended yet. */
const underWayOf = oneForEach((_: GPUDevice) => ({ calls: 0 }));

/**
 * Runs a call of the library. What the device refused before it, to its owner or to a call that has failed, is no
 * business of this one; what it refuses meanwhile fails all calls that are under way, since nobody can tell whose it was.
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
  } finally {
    underWay.calls--;
  }
}
