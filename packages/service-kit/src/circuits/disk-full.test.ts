import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sectorShape } from '@cuzk/core/porep/sector';
import { afterAll, describe, expect, it } from 'vitest';
import { canMountDisks, mountSmallDisk, unmountSmallDisks } from '../testing/small-disk.ts';
import { requireDiskRoom } from './disk-room.ts';
import { areSubgroupsRemembered, rememberSubgroups } from './params-folder.ts';
import { replaceFile } from './replace-file.ts';
import { compileIntoCache } from './shape-cache.ts';

const smallDisk = (): string => mountSmallDisk('64k') as string;
afterAll(unmountSmallDisks);

describe.skipIf(!canMountDisks())('a disk of 64 KiB', () => {
  it('is told from one with room, with the bytes needed and found', () => {
    const folder = smallDisk();
    expect(() => requireDiskRoom(join(folder, 'below', 'file'), 65_536)).not.toThrow();
    expect(() => requireDiskRoom(join(folder, 'file'), 65_537)).toThrow(
      expect.objectContaining({
        code: 'DISK_FULL',
        facts: { expected: `65537 bytes free in ${folder}`, found: '65536 bytes' },
      }),
    );
  });

  it('keeps what it has when a larger file does not fit, and nothing of that', async () => {
    const folder = smallDisk();
    const path = join(folder, 'file');
    await replaceFile(path, 'before');
    await expect(replaceFile(path, Buffer.alloc(100_000))).rejects.toMatchObject({
      code: 'DISK_FULL',
    });
    expect(readFileSync(path, 'utf8')).toBe('before');
    expect(readdirSync(folder)).toEqual(['file']);
  });

  it('has a shape refused before its rows are hashed', async () => {
    const cacheDir = smallDisk();
    const hashed: number[] = [];
    const compiling = compileIntoCache(cacheDir, sectorShape(2048), (part) => hashed.push(part));
    await expect(compiling).rejects.toMatchObject({
      code: 'DISK_FULL',
      facts: { expected: expect.stringMatching(/^48503872 bytes free/), found: '65536 bytes' },
    });
    expect(hashed).toEqual([]);
    expect(readdirSync(join(cacheDir, 'shapes'))).toEqual([]);
  });

  it('that is full does not keep a file from being used whose points were just checked', async () => {
    const folder = smallDisk();
    const params = join(folder, 'small.params');
    await replaceFile(params, Buffer.alloc(65_536));
    const memory = join(folder, 'params-verified.json');
    await rememberSubgroups(params, memory);
    expect(await areSubgroupsRemembered(params, memory)).toBe(false);
  });
});
