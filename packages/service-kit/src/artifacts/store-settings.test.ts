import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { openStore } from './store-settings.ts';

const folder = mkdtempSync(join(tmpdir(), 'cuzk-store-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('a folder that cannot be one is a setting that cannot be used, and named', async () => {
  const file = join(folder, 'file');
  writeFileSync(file, '');
  for (const [path, code] of [
    [file, 'ENOTDIR'],
    [join(file, 'below'), 'ENOTDIR'],
    [join(folder, 'a'.repeat(300)), 'ENAMETOOLONG'],
  ] as const) {
    await expect(openStore({ ARTIFACT_DIR: path })).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining('ARTIFACT_DIR'),
      facts: { found: `${path} (${code})` },
    });
  }
  await openStore({ ARTIFACT_DIR: join(folder, 'new', 'one') });
});
