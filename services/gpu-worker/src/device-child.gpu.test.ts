import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
// kernels that earlier runs have compiled
import '@cuzk/gpu/testing/software-device';
import { createLogger } from '@cuzk/service-kit/logger';
import { afterAll, expect, it } from 'vitest';
import { GpuProcess } from './gpu-process.ts';
import { SilenceLimit } from './silence-limit.ts';

// the built child, whatever flags (export conditions) the test runner was started with: fork hands them on
process.execArgv = [];
const cacheDir = mkdtempSync(join(tmpdir(), 'cuzk-child-'));
const child = new GpuProcess({
  logger: createLogger('test', 'silent'),
  cacheDir,
  silence: new SilenceLimit(60_000),
  onProgress: () => {},
  onUsage: () => {},
  onLost: () => {},
});
afterAll(() => {
  child.close();
  rmSync(cacheDir, { recursive: true, force: true });
});

it('the process of a device says when it is open, and when the pipelines that were kept are there', async () => {
  await expect(child.pipelines()).rejects.toThrow('the device is not open');
  const adapter = await child.open({ gpu: 'software', checkWitness: true, cacheDir });
  expect(adapter.software).toBe(true);
  // a software adapter keeps none
  const { count, readySeconds } = await child.pipelines();
  expect(count).toBe(0);
  expect(readySeconds).toBeGreaterThan(0);
  expect(readySeconds).toBeLessThan(adapter.openSeconds + 1);
}, 60_000);
