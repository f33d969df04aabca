import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { replaceFile } from './replace-file.ts';

/** As DeviceStore of @cuzk/gpu, which is not known here, uses them. */
type Kind = 'tuning' | 'pipelines';
interface Key {
  readonly adapter: string;
  readonly kernels: string;
}

/**
 * What is known of adapters as files below the cache folder, a folder for each kind, one file for each adapter with its
 * driver and each state of the kernels. What cannot be read or written is no failure: it is found out again.
 */
export function openDeviceFolder(cacheDir: string, warn: (message: string) => void) {
  const pathOf = (kind: Kind, { adapter, kernels }: Key): string => {
    const name = createHash('sha256').update(`${adapter}\n${kernels}`).digest('hex').slice(0, 32);
    return join(cacheDir, kind, `${name}.json`);
  };
  return {
    read: async (kind: Kind, key: Key): Promise<string | null> => {
      try {
        return await readFile(pathOf(kind, key), 'utf8');
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT') {
          warn(`the stored ${kind} of this adapter cannot be read`);
        }
        return null;
      }
    },
    write: async (kind: Kind, key: Key, text: string): Promise<void> => {
      try {
        await replaceFile(pathOf(kind, key), text);
      } catch {
        warn(`the ${kind} of this adapter cannot be stored`);
      }
    },
    warn,
  };
}
