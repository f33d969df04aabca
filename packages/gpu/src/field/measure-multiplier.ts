import { groupsFor, openCommands } from '../device/commands.ts';
import type { GpuContext } from '../device/context.ts';

const WORKGROUP = 64;
const STEPS = 96;
/** Threads that fill the device: some 50 ms of work. */
const THREADS = { software: 2 ** 14, hardware: 2 ** 20 };
const REPEATS = 3;

/**
 * Millions of dependent Fp multiplications a second, the best of a few runs. On a software adapter the figure is of
 * one core: multiplications over processor seconds, which other work on the machine hardly disturbs.
 */
export async function measureMultiplier(context: GpuContext): Promise<number> {
  const { software } = context.traits;
  const threads = software ? THREADS.software : THREADS.hardware;
  const kernel = await context.kernels.get({
    file: 'field/multiplier-rate.wgsl',
    bindings: 'wu',
    workgroupSize: WORKGROUP,
  });
  const values = context.buffers.take('scratch', threads * 48, 'multiplier rate');
  // Any words below 2^376 will do: what is multiplied does not change the time.
  const words = Uint32Array.from({ length: 12 * threads }, (_, i) =>
    i % 12 === 11 ? i & 0xffff : Math.imul(i + 1, 0x9e3779b1) >>> 0,
  );
  context.device.queue.writeBuffer(values, 0, words);
  const commands = openCommands(context);
  let seconds = Number.POSITIVE_INFINITY;
  for (let i = 0; i <= REPEATS; i++) {
    const [wallBefore, usageBefore] = [performance.now(), process.cpuUsage()];
    commands.dispatch(kernel, [values], groupsFor(threads, WORKGROUP), [STEPS, 0, 0, 0]);
    await commands.submit('multiplier rate');
    const usage = process.cpuUsage(usageBefore);
    const spent = software
      ? (usage.user + usage.system) / 1e6
      : (performance.now() - wallBefore) / 1000;
    // the first run compiles
    if (i > 0) seconds = Math.min(seconds, spent);
  }
  context.buffers.give(values);
  return (threads * STEPS) / seconds / 1e6;
}
