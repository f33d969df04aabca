import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { writeWithDigest } from './digest-writer.ts';

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
});
