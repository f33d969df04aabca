import { readFile } from 'node:fs/promises';
import { CuzkError } from '@cuzk/core/errors';

/** All bytes of a file the user named. Errors: REQUEST_INVALID when it cannot be read. */
export async function readInput(path: string): Promise<Uint8Array> {
  try {
    return await readFile(path);
  } catch (error) {
    throw new CuzkError(
      'REQUEST_INVALID',
      'the file cannot be read',
      { expected: 'a readable file', found: path },
      error,
    );
  }
}
