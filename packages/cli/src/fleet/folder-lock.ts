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
  if (owner !== null && owner !== process.pid) {
    throw new CuzkError('SETUP_FAILED', 'another process uses this data folder', {
      expected: 'a folder of its own for each system',
      found: `process ${owner} in ${folder}`,
      action: 'stop that process, or name another folder with --data',
    });
  }
  writeFileSync(file, `${process.pid} ${startOf(process.pid)}\n`);
  return () => rmSync(file, { force: true });
}

/** The living process that uses a data folder, or null. */
export function folderOwner(folder: string): number | null {
  return ownerOf(join(folder, LOCK_FILE));
}

/** The process that a mark names, where it lives and is the one that made it: numbers are given out again. */
function ownerOf(file: string): number | null {
  const [pid = 0, start = ''] = markOf(file);
  if (pid === 0 || !isAlive(pid)) return null;
  const found = startOf(pid);
  return start === '' || found === '' || start === found ? pid : null;
}

function markOf(file: string): [pid: number, start: string] | [] {
  try {
    const [pid, start = ''] = readFileSync(file, 'utf8').trim().split(' ');
    return [Number(pid) || 0, start];
  } catch {
    return [];
  }
}

/** When a process began, in ticks since the machine did; empty where there is no /proc. */
function startOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in brackets may hold anything; behind it the start is the twentieth field.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  } catch {
    return '';
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
