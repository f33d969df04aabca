import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CuzkError } from '@cuzk/core/errors';

/** Name of the file that says which process uses a data folder. */
const LOCK_FILE = 'in-use-by.pid';

/**
 * Marks a data folder as used by this process: two Redis servers on one append-only file destroy it. Returns how
 * to give it back. A mark left by a process that is gone does not count. Errors: SETUP_FAILED when a living
 * process has the folder.
 */
export function lockFolder(folder: string): () => void {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, LOCK_FILE);
  const owner = ownerOf(file);
  if (owner !== null && owner !== process.pid && isAlive(owner)) {
    throw new CuzkError('SETUP_FAILED', 'another process uses this data folder', {
      expected: 'a folder of its own for each system',
      found: `process ${owner} in ${folder}`,
      action: 'stop that process, or name another folder with --data',
    });
  }
  writeFileSync(file, `${process.pid}\n`);
  return () => rmSync(file, { force: true });
}

/** The living process that uses a data folder, or null. */
export function folderOwner(folder: string): number | null {
  const owner = ownerOf(join(folder, LOCK_FILE));
  return owner !== null && isAlive(owner) ? owner : null;
}

function ownerOf(file: string): number | null {
  try {
    return Number.parseInt(readFileSync(file, 'utf8'), 10) || null;
  } catch {
    return null;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it is there and belongs to somebody else.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
