import { mkdirSync, statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { CuzkError } from '@cuzk/core/errors';

/**
 * To be asked before work whose result is a file of `neededBytes` at `path`; makes the folder. Throws CuzkError
 * DISK_FULL with the bytes needed and found where there is too little room for it.
 */
export function requireDiskRoom(path: string, neededBytes: number): void {
  const folder = dirname(path);
  mkdirSync(folder, { recursive: true });
  const { bavail, bsize } = statfsSync(folder);
  const freeBytes = bavail * bsize;
  if (neededBytes <= freeBytes) return;
  throw new CuzkError('DISK_FULL', 'the disk has too little room for the file', {
    expected: `${neededBytes} bytes free in ${folder}`,
    found: `${freeBytes} bytes`,
  });
}

/** Whether a write failed for want of room on the disk, or of quota. */
export const isDiskFull = (error: unknown): boolean =>
  /^(?:ENOSPC|EDQUOT)$/.test((error as NodeJS.ErrnoException | null)?.code ?? '');

/** The error of a write: CuzkError DISK_FULL where the disk had no room left, any other as it is. */
export function asDiskFull(error: unknown, path: string): unknown {
  if (!isDiskFull(error)) return error;
  const { code } = error as NodeJS.ErrnoException;
  const facts = { expected: `room in ${dirname(path)}`, found: `${code}` };
  return new CuzkError('DISK_FULL', 'the disk is full', facts, error);
}
