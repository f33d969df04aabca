import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { readConfig } from '../../config.ts';
import { timeWarmStart } from './time-start.ts';

const cacheDir = mkdtempSync(join(tmpdir(), 'cuzk-start-'));
afterAll(() => rmSync(cacheDir, { recursive: true, force: true }));
const config = readConfig({ ...process.env, GPU: 'software', CUZK_CACHE_DIR: cacheDir });

const slow = process.env.SLOW === '1';
it.skipIf(!slow)(
  'the start of another process is timed until its pipelines are there, and two proofs in it by themselves (SLOW=1: compiles for half a minute)',
  async () => {
    const startedAt = performance.now();
    const [start, ...proofs] = await timeWarmStart(config);
    const seconds = (performance.now() - startedAt) / 1000;
    expect(start?.wallSeconds).toBeGreaterThan(start?.figures.openSeconds as number);
    expect(proofs.map(({ passed, figures }) => [passed, figures.constraints])).toEqual([
      [true, 312],
      [true, 312],
    ]);
    const timed = [start, ...proofs].reduce((sum, result) => sum + (result?.wallSeconds ?? 0), 0);
    expect(timed).toBeGreaterThan(0);
    expect(timed).toBeLessThan(seconds);
  },
  120_000,
);

it('a process that cannot start is an error', async () => {
  const broken = { ...config, environment: { ...config.environment, GPU_WORKERS: 'many' } };
  await expect(timeWarmStart(broken)).rejects.toThrow('the process whose start is timed ended');
});
