import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  canMountDisks,
  mountSmallDisk,
  unmountSmallDisks,
} from '@cuzk/service-kit/testing/small-disk';
import { afterAll, describe, expect, it } from 'vitest';
import { writeWithDigest } from './digest-writer.ts';

afterAll(unmountSmallDisks);

describe('writing with a digest', () => {
  const folder = (): string => mkdtempSync(join(tmpdir(), 'cuzk-write-'));

  it('writes all pieces in order and gives their digest', async () => {
    const path = join(folder(), 'below', 'file');
    const digest = await writeWithDigest(path, async (write) => {
      await write(Buffer.from('one '));
      await write(Buffer.from('two'));
    });
    expect(readFileSync(path, 'utf8')).toBe('one two');
    expect(digest).toBe(createHash('sha256').update('one two').digest('hex'));
  });

  it('leaves nothing behind when it fails in the middle', async () => {
    const parent = folder();
    const failing = writeWithDigest(join(parent, 'file'), async (write) => {
      await write(Buffer.from('half'));
      throw new Error('device lost');
    });
    await expect(failing).rejects.toThrow('device lost');
    expect(readdirSync(parent)).toEqual([]);
  });

  it.skipIf(!canMountDisks())('says that the disk is full, and leaves nothing on it', async () => {
    const parent = mountSmallDisk('64k') as string;
    const writing = writeWithDigest(join(parent, 'file'), async (write) => {
      for (let piece = 0; piece < 10; piece++) await write(Buffer.alloc(10_000));
    });
    await expect(writing).rejects.toMatchObject({ code: 'DISK_FULL' });
    expect(readdirSync(parent)).toEqual([]);
  });
});
