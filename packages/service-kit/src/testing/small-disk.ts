import { spawnSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const mounted: string[] = [];

/**
 * Mounts a file system of `size`, such as "64k" or "1m,nr_inodes=9", at a folder or at a new one; null where that is not
 * allowed.
 */
export function mountSmallDisk(
  size: string,
  folder = mkdtempSync(join(tmpdir(), 'cuzk-disk-')),
): string | null {
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', folder]);
  if (status !== 0) return null;
  mounted.push(folder);
  return folder;
}

/** Takes all of them away again. */
export function unmountSmallDisks(): void {
  for (const folder of mounted.splice(0)) spawnSync('umount', ['-l', folder]);
}

/** Whether this machine lets tests do that; prints that they are skipped where it does not. */
export function canMountDisks(): boolean {
  const able = mountSmallDisk('64k') !== null;
  unmountSmallDisks();
  if (!able) console.log('skipped: a small file system cannot be mounted here');
  return able;
}
