import { randomUUID } from 'node:crypto';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { asDiskFull } from './disk-room.ts';

/**
 * Writes a whole file or nothing: to a name of its own first, then renamed. Makes the folder. Throws CuzkError
 * DISK_FULL; what was there before stays.
 */
export async function replaceFile(path: string, bytes: string | Uint8Array): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const temporary = `${path}.${randomUUID()}`;
  try {
    await writeFile(temporary, bytes);
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw asDiskFull(error, path);
  }
}
