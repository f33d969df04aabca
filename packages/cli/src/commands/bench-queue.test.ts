import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { QueueBenchReport } from '../bench/queue/run-queue.ts';
import { runCommandLine, runJson } from '../testing/run-program.ts';

/** The simulated workers are processes, which run what was built. */
const built = existsSync(new URL('../../dist/main.js', import.meta.url));
if (!built) console.log('cuzk bench queue: skipped, there is no build');

describe.skipIf(!built)('cuzk bench queue', () => {
  it('takes every partition through and says what each process spent on it', async () => {
    const { PATH = '' } = process.env;
    const argv = ['bench', 'queue', '--rate', '40', '--seconds', '1'];
    const report = (await runJson(argv, { PATH })).value as unknown as QueueBenchReport;
    expect(report).toMatchObject({ partitions: 40, failed: 0 });
    const { cpu, prover, redis } = report.processorMs;
    expect(Math.min(cpu, prover, redis)).toBeGreaterThan(0);
    expect(report.overheadMs).toBeCloseTo(cpu + prover + redis - report.artifactMs, 6);
    expect(report.synthesizeWait.p50Ms).toBeLessThanOrEqual(report.synthesizeWait.p99Ms);
  });

  it('refuses a rate that is none', async () => {
    const { stderr, exitCode } = await runCommandLine(['bench', 'queue', '--rate', '0']);
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('--rate')]);
  });
});
