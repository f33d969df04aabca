import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { openFolderStore } from './folder-store.ts';
import { createStoreProbe } from './store-probe.ts';

const folder = mkdtempSync(join(tmpdir(), 'cuzk-probe-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('says whether the store can be written, whatever the length of a name, and leaves nothing there', async () => {
  const store = await openFolderStore(folder);
  for (const name of ['api/node/0', `gpu-worker/${'n'.repeat(253)}/0`]) {
    expect(await createStoreProbe(store, name)()).toBeNull();
  }
  expect(readdirSync(join(folder, 'probes'))).toEqual([]);
  rmSync(join(folder, '.writing'), { recursive: true });
  writeFileSync(join(folder, '.writing'), 'in the way');
  expect(await createStoreProbe(store, 'api/node/0')()).toMatch(/cannot be written: ENOTDIR/);
});
