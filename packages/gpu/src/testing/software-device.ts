import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FieldVariants } from '../device/context.ts';
import { type OpenedDevice, openDevice } from '../device/device.ts';

/** Kept between runs: Mesa compiles at the first dispatch, which costs more than most tests. */
process.env.MESA_SHADER_CACHE_DIR ??= join(tmpdir(), 'cuzk-mesa-cache');

/** The adapter gpu tests run on: software unless CUZK_TEST_GPU=hardware. */
export function openTestDevice(
  options: { variants?: FieldVariants; defaultLimits?: boolean } = {},
): Promise<OpenedDevice> {
  return openDevice(process.env.CUZK_TEST_GPU === 'hardware' ? 'hardware' : 'software', options);
}

/** Processor seconds of this process, all threads: the figure that means something on a shared machine. */
export function processorSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}
