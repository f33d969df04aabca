import type { GpuContext } from './context.ts';

/**
 * What `run`, which leaves the device idle, took: processor seconds of all threads on a software adapter, which other
 * work on the machine hardly disturbs; on hardware device seconds, or the wall's where it has no timestamps. Resets the
 * context's timer.
 */
export async function spentSeconds(context: GpuContext, run: () => Promise<void>): Promise<number> {
  await context.timer.collect();
  const [wallBefore, usageBefore] = [performance.now(), process.cpuUsage()];
  await run();
  const { user, system } = process.cpuUsage(usageBefore);
  const wallSeconds = (performance.now() - wallBefore) / 1000;
  if (context.traits.software) return (user + system) / 1e6;
  const phases = await context.timer.collect();
  const timed = phases.every(({ source }) => source === 'timestamps');
  return timed ? phases.reduce((sum, { seconds }) => sum + seconds, 0) : wallSeconds;
}
