import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { asDiskFull } from './disk-room.ts';

/** What a name of ours ends with while the file is written. */
const UNFINISHED = /.\.[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** A name of its own for a file while it is written; below the cache folder sweepUnfinished knows it. */
export const unfinishedName = (path: string): string => `${path}.${randomUUID()}`;

/** Nothing is written for so long. */
const UNFINISHED_KEPT_MS = 60 * 60_000;
/** Where files are replaced below the cache folder. */
const FOLDERS = ['.', 'shapes', 'tuning', 'pipelines', 'params'];

/**
 * Writes a whole file or nothing: to a name of its own first, then renamed. Makes the folder. Throws CuzkError
 * DISK_FULL; what was there before stays.
 */
export async function replaceFile(path: string, bytes: string | Uint8Array): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const temporary = unfinishedName(path);
  try {
    await writeFile(temporary, bytes);
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw asDiskFull(error, path);
  }
}

/**
 * Deletes what was being written under an unfinishedName below the cache folder by processes that were killed; what
 * another process may be writing stays. Returns how many; never throws: what cannot be read or deleted stays too.
 */
export async function sweepUnfinished(cacheDir: string, nowMs = Date.now()): Promise<number> {
  let swept = 0;
  for (const folder of FOLDERS) {
    for (const name of await readdir(join(cacheDir, folder)).catch(() => [])) {
      if (!UNFINISHED.test(name)) continue;
      const path = join(cacheDir, folder, name);
      const found = await stat(path).catch(() => null);
      if (!found?.isFile() || nowMs - found.mtimeMs < UNFINISHED_KEPT_MS) continue;
      await rm(path).then(
        () => swept++,
        () => {},
      );
    }
  }
  return swept;
}
