import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
// kernels that earlier runs have compiled
import '@cuzk/gpu/testing/software-device';
import { afterAll, expect, it } from 'vitest';
import { readConfig } from '../../config.ts';
import { timeStarts } from './time-starts.ts';

const cacheDir = mkdtempSync(join(tmpdir(), 'cuzk-start-'));
afterAll(() => rmSync(cacheDir, { recursive: true, force: true }));
const config = readConfig({ ...process.env, GPU: 'software', CUZK_CACHE_DIR: cacheDir });

const never = new AbortController().signal;

it('two starts are processes of their own, the second one with the tuning of the first', async () => {
  const startedAt = performance.now();
  const results = await timeStarts(config, never);
  const seconds = (performance.now() - startedAt) / 1000;
  // on a software adapter, which keeps no pipelines, proofs would show what compiling takes
  expect(results).toHaveLength(2);
  const [first, second] = results;
  expect(first?.figures.tuningSeconds).toBeGreaterThan(0);
  expect(second?.figures.tuningSeconds).toBe(first?.figures.tuningSeconds);
  expect(second?.wallSeconds).toBeGreaterThan(second?.figures.openSeconds as number);
  const timed = results.reduce((sum, { wallSeconds }) => sum + (wallSeconds ?? 0), 0);
  expect(timed).toBeLessThan(seconds);
});

it('a process that cannot start is an error, and one that is no longer wanted ends', async () => {
  const broken = { ...config, environment: { ...config.environment, GPU_WORKERS: 'many' } };
  await expect(timeStarts(broken, never)).rejects.toThrow('whose start is timed has failed');
  await expect(timeStarts(config, AbortSignal.timeout(300))).rejects.toThrow('aborted');
});
