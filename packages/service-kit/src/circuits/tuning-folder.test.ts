import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openTuningFolder } from './tuning-folder.ts';

describe('tuning folder', () => {
  it('keeps one text for each adapter and each state of the kernels', async () => {
    const cacheDir = mkdtempSync(join(tmpdir(), 'cuzk-tuning-'));
    const warnings: string[] = [];
    const folder = openTuningFolder(cacheDir, (message) => warnings.push(message));
    const key = { adapter: 'llvmpipe / Mesa 22.3.6', kernels: 'aa' };
    expect(await folder.read(key)).toBeNull();
    await folder.write(key, 'first');
    await folder.write({ ...key, kernels: 'bb' }, 'second');
    expect(await folder.read(key)).toBe('first');
    expect(await folder.read({ ...key, adapter: 'another' })).toBeNull();
    expect(readdirSync(join(cacheDir, 'tuning'))).toHaveLength(2);
    expect(warnings).toEqual([]);
    rmSync(cacheDir, { recursive: true });
  });

  it('warns and goes on where the folder is none', async () => {
    const cacheDir = mkdtempSync(join(tmpdir(), 'cuzk-tuning-'));
    mkdirSync(join(cacheDir, 'sub'));
    writeFileSync(join(cacheDir, 'sub', 'tuning'), 'a file');
    const warnings: string[] = [];
    const folder = openTuningFolder(join(cacheDir, 'sub'), (message) => warnings.push(message));
    const key = { adapter: 'a', kernels: 'b' };
    expect(await folder.read(key)).toBeNull();
    await folder.write(key, 'text');
    expect(warnings).toEqual([
      'the stored tuning of this adapter cannot be read',
      'the tuning of this adapter cannot be stored',
    ]);
    rmSync(cacheDir, { recursive: true });
  });
});
