import { stat } from 'node:fs/promises';
import { CuzkError, type ErrorCode } from '@cuzk/core/errors';
import type { ParamsLocation } from '@cuzk/service-kit/circuits/params-folder';

/** What the bytes of a file are to blame for. */
const OF_THE_FILE: ReadonlySet<ErrorCode> = new Set(['PARAMS_MALFORMED', 'PARAMS_DIGEST_MISMATCH']);

/**
 * Parameter files that were refused. As long as they stay as they are, they are not read again: 44 GiB take a minute.
 */
export class RefusedFiles {
  readonly #known = new Map<string, { readonly stamp: string; readonly error: CuzkError }>();

  /** Does `work` with the files, unless it would end as before. Throws what it throws, or has thrown. */
  async unlessRefused<T>(files: ParamsLocation, work: () => Promise<T>): Promise<T> {
    const stamp = await stampOf(files);
    const known = this.#known.get(files.paramsPath);
    if (known?.stamp === stamp) throw known.error;
    try {
      return await work();
    } catch (error) {
      if (error instanceof CuzkError && OF_THE_FILE.has(error.code)) {
        this.#known.set(files.paramsPath, { stamp, error });
      }
      throw error;
    }
  }
}

async function stampOf({ paramsPath, vkPath }: ParamsLocation): Promise<string> {
  const stamps = await Promise.all(
    [paramsPath, vkPath].map((path) =>
      stat(path).then(
        ({ size, mtimeMs }) => `${size} ${mtimeMs}`,
        () => 'none',
      ),
    ),
  );
  return stamps.join();
}
