import { mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Writes a whole file or nothing: to a name of this process first, then renamed. Makes the folder. */
export async function replaceFile(path: string, bytes: string | Uint8Array): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const temporary = `${path}.${process.pid}`;
  await writeFile(temporary, bytes);
  await rename(temporary, path);
}
