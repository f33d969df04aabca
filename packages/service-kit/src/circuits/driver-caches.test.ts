import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { driverCaches } from './driver-caches.ts';

it('gives drivers folders that are there, and no error where there can be none', () => {
  const folder = mkdtempSync(join(tmpdir(), 'cuzk-driver-'));
  const caches = driverCaches(join(folder, 'cache'));
  expect(Object.keys(caches)).toEqual(['MESA_SHADER_CACHE_DIR', '__GL_SHADER_DISK_CACHE_PATH']);
  for (const path of Object.values(caches)) expect(existsSync(path)).toBe(true);
  const [first, second, same] = ['0', '1', '1'].map((instance) => driverCaches(folder, instance));
  expect(second).toEqual(same);
  expect(second?.__GL_SHADER_DISK_CACHE_PATH).not.toBe(first?.__GL_SHADER_DISK_CACHE_PATH);
  const file = join(folder, 'file');
  writeFileSync(file, '');
  expect(driverCaches(file).MESA_SHADER_CACHE_DIR).toBe(join(file, 'mesa'));
  rmSync(folder, { recursive: true });
});
