import { CuzkError } from '@cuzk/core/errors';
import type { GpuContext } from '@cuzk/gpu/device/context';
import { deviceCall } from '@cuzk/gpu/device/device-call';
import type { Turns } from './turns.ts';

/**
 * Runs `work` on the device when its turn has come (turns.ts). What the device refuses until it ends fails it, whatever
 * becomes of other requests meanwhile, and nothing of work that failed reaches what has its turn next: neither refusals
 * that come late nor buffers for which there was no memory.
 */
export const takeDeviceTurn = <T>(
  turns: Turns,
  context: GpuContext,
  signal: AbortSignal,
  work: () => Promise<T>,
): Promise<T> =>
  turns.take(signal, async () => {
    try {
      return await deviceCall(context, work);
    } catch (error) {
      await context.device.queue.onSubmittedWorkDone();
      if (error instanceof CuzkError && error.code === 'GPU_OUT_OF_MEMORY') context.buffers.trim();
      throw error;
    }
  });
