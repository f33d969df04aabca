import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { canMountDisks, mountSmallDisk, unmountSmallDisks } from '../testing/small-disk.ts';
import { openFolderStore } from './folder-store.ts';

afterAll(unmountSmallDisks);

describe.skipIf(!canMountDisks())('a folder store without room', () => {
  it.each([
    { what: 'bytes', size: '64k' },
    // the folder itself, .writing, a, two artifacts
    { what: 'files', size: '1m,nr_inodes=5' },
  ])(
    'of $what refuses what does not fit, keeps what it has and leaves no half of it',
    async ({ size }) => {
      const folder = mountSmallDisk(size) as string;
      const store = await openFolderStore(folder);
      const kept = [
        await store.put('a/b', Buffer.from('before')),
        await store.put('a/c', Buffer.from('as well')),
      ];
      const full = { code: 'CAPACITY_EXHAUSTED' };
      for (const ref of ['a/b', 'a/d', 'x/y/z']) {
        await expect(store.put(ref, Buffer.alloc(100_000))).rejects.toMatchObject(full);
      }
      expect(readdirSync(join(folder, '.writing'))).toEqual([]);
      for (const artifact of kept) expect(await store.get(artifact)).toHaveLength(artifact.bytes);
    },
  );
});
