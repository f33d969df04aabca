import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { lockFolder } from './folder-lock.ts';

const folder = (): string => mkdtempSync(join(tmpdir(), 'cuzk-lock-'));

describe('data folder', () => {
  it('is refused while a living process has it', () => {
    const path = folder();
    writeFileSync(join(path, 'in-use-by.pid'), '1\n');
    expect(() => lockFolder(path)).toThrow(/another process/);
  });

  it('is taken over from a process that is gone, and given back', () => {
    const path = folder();
    // Larger than any pid Linux or macOS gives out.
    writeFileSync(join(path, 'in-use-by.pid'), '99999999\n');
    lockFolder(path)();
    const unlock = lockFolder(path);
    unlock();
    expect(() => lockFolder(path)).not.toThrow();
  });

  it('is taken over where its number was given to another process since', () => {
    const path = folder();
    const unlock = lockFolder(path);
    const [, started] = readFileSync(join(path, 'in-use-by.pid'), 'utf8').trim().split(' ');
    expect(() => lockFolderAs(path, `${process.ppid} ${started}`)).not.toThrow();
    unlock();
  });
});

/** Locks a folder in which an earlier run left this. */
function lockFolderAs(path: string, mark: string): void {
  writeFileSync(join(path, 'in-use-by.pid'), `${mark}\n`);
  lockFolder(path)();
}
