import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { replaceFile } from './replace-file.ts';

/** As TuningStore of @cuzk/gpu, which is not known here, uses it. */
interface Key {
  readonly adapter: string;
  readonly kernels: string;
}

/**
 * Tunings as files of the folder `tuning` below the cache folder, one for each adapter with its driver and each state of
 * the kernels. What cannot be read or written is no failure: the device is measured again.
 */
export function openTuningFolder(cacheDir: string, warn: (message: string) => void) {
  const pathOf = ({ adapter, kernels }: Key): string => {
    const name = createHash('sha256').update(`${adapter}\n${kernels}`).digest('hex').slice(0, 32);
    return join(cacheDir, 'tuning', `${name}.json`);
  };
  return {
    read: async (key: Key): Promise<string | null> => {
      try {
        return await readFile(pathOf(key), 'utf8');
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT') {
          warn('the stored tuning of this adapter cannot be read');
        }
        return null;
      }
    },
    write: async (key: Key, text: string): Promise<void> => {
      try {
        await replaceFile(pathOf(key), text);
      } catch {
        warn('the tuning of this adapter cannot be stored');
      }
    },
    warn,
  };
}
