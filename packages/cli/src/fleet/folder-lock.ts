import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { CuzkError } from '@cuzk/core/errors';
import { leaveMark, markedBy } from './process-mark.ts';

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
  const owner = markedBy(file);
  if (owner !== null && owner !== process.pid) {
    throw new CuzkError('SETUP_FAILED', 'another process uses this data folder', {
      expected: 'a folder of its own for each system',
      found: `process ${owner} in ${folder}`,
      action: 'stop that process, or name another folder with --data',
    });
  }
  return leaveMark(file);
}

/** The living process that uses a data folder, or null. */
export function folderOwner(folder: string): number | null {
  return markedBy(join(folder, LOCK_FILE));
}
