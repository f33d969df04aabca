import { createHash } from 'node:crypto';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { asDiskFull } from '@cuzk/service-kit/circuits/disk-room';
import { unfinishedName } from '@cuzk/service-kit/circuits/replace-file';

/**
 * Writes a file piece by piece and hashes it on the way. The name holds all bytes or none: until `writeAll` has
 * ended they are under an unfinished name (replace-file.ts), which is removed when it throws. Returns the SHA-256,
 * lowercase hex. Throws CuzkError DISK_FULL.
 */
export async function writeWithDigest(
  path: string,
  writeAll: (write: (bytes: Uint8Array) => Promise<void>) => Promise<void>,
): Promise<string> {
  await mkdir(dirname(path), { recursive: true });
  const temporary = unfinishedName(path);
  const hash = createHash('sha256');
  const file = await open(temporary, 'w');
  try {
    await writeAll(async (bytes) => {
      hash.update(bytes);
      await file.writeFile(bytes);
    });
    await file.sync();
    await file.close();
    await rename(temporary, path);
  } catch (error) {
    await file.close().catch(() => {});
    await rm(temporary, { force: true });
    throw asDiskFull(error, path);
  }
  return hash.digest('hex');
}
