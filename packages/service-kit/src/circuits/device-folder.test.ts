import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openDeviceFolder } from './device-folder.ts';

describe('device folder', () => {
  it('keeps one text of a kind for each adapter and each state of the kernels', async () => {
    const cacheDir = mkdtempSync(join(tmpdir(), 'cuzk-tuning-'));
    const warnings: string[] = [];
    const folder = openDeviceFolder(cacheDir, (message) => warnings.push(message));
    const key = { adapter: 'llvmpipe / Mesa 22.3.6', kernels: 'aa' };
    expect(await folder.read('tuning', key)).toBeNull();
    await folder.write('tuning', key, 'first');
    await folder.write('tuning', { ...key, kernels: 'bb' }, 'second');
    expect(await folder.read('tuning', key)).toBe('first');
    expect(await folder.read('tuning', { ...key, adapter: 'another' })).toBeNull();
    expect(await folder.read('pipelines', key)).toBeNull();
    expect(readdirSync(join(cacheDir, 'tuning'))).toHaveLength(2);
    expect(warnings).toEqual([]);
    rmSync(cacheDir, { recursive: true });
  });

  it('warns and goes on where the folder is none', async () => {
    const cacheDir = mkdtempSync(join(tmpdir(), 'cuzk-tuning-'));
    mkdirSync(join(cacheDir, 'sub'));
    writeFileSync(join(cacheDir, 'sub', 'tuning'), 'a file');
    const warnings: string[] = [];
    const folder = openDeviceFolder(join(cacheDir, 'sub'), (message) => warnings.push(message));
    const key = { adapter: 'a', kernels: 'b' };
    expect(await folder.read('tuning', key)).toBeNull();
    await folder.write('tuning', key, 'text');
    expect(warnings).toEqual([
      'the stored tuning of this adapter cannot be read',
      'the tuning of this adapter cannot be stored',
    ]);
    rmSync(cacheDir, { recursive: true });
  });
});
