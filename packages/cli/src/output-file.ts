import { access, constants, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { CuzkError } from '@cuzk/core/errors';

/** To be asked before work that takes long: whether its result can be written to this file. Errors: REQUEST_INVALID. */
export async function requireWritable(path: string): Promise<void> {
  const found = await stat(path).catch(() => null);
  const place = found === null ? dirname(path) : path;
  const writable = await access(place, constants.W_OK).then(
    () => true,
    () => false,
  );
  if (writable && found?.isDirectory() !== true) return;
  throw new CuzkError('REQUEST_INVALID', 'the result could not be written there', {
    expected: 'a file in a folder that is there and can be written',
    found: path,
  });
}
