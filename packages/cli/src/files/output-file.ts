import { access, constants, open, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { CuzkError } from '@cuzk/core/errors';
import { asDiskFull } from '@cuzk/service-kit/circuits/disk-room';

/** To be asked before work that takes long: whether its result can be written to this file. Errors: REQUEST_INVALID. */
export async function requireWritable(path: string): Promise<void> {
  const found = await stat(path).catch(() => null);
  const place = found === null ? dirname(path) : path;
  const writable = await access(place, constants.W_OK).then(
    () => true,
    () => false,
  );
  if (writable && found?.isDirectory() !== true) return;
  throw notWritable(path);
}

/** Writes a file that the user named; it may be a device or a link. Errors: REQUEST_INVALID, DISK_FULL. */
export async function writeOutput(path: string, bytes: string | Uint8Array): Promise<void> {
  await writeFile(path, bytes).catch((error: unknown) => {
    throw asUnwritten(error, path);
  });
}

/** Opens a file that the user named, for pieces. Errors: REQUEST_INVALID; of `write` and `close` DISK_FULL as well. */
export async function openOutput(
  path: string,
): Promise<{ write(text: string): Promise<void>; close(): Promise<void> }> {
  const told = <T>(work: Promise<T>): Promise<T> =>
    work.catch((error: unknown) => {
      throw asUnwritten(error, path);
    });
  const file = await told(open(path, 'w'));
  return { write: (text) => told(file.writeFile(text)), close: () => told(file.close()) };
}

/** What the place is at fault for; any other error as it is. */
const OF_THE_PLACE: readonly string[] = [
  'EACCES',
  'EISDIR',
  'ELOOP',
  'ENAMETOOLONG',
  'ENOENT',
  'ENOTDIR',
  'EPERM',
  'EROFS',
];

function asUnwritten(error: unknown, path: string): unknown {
  const { code = '' } = error as NodeJS.ErrnoException;
  return OF_THE_PLACE.includes(code) ? notWritable(path, error) : asDiskFull(error, path);
}

const notWritable = (path: string, cause?: unknown): CuzkError =>
  new CuzkError(
    'REQUEST_INVALID',
    'the result could not be written there',
    { expected: 'a file in a folder that is there and can be written', found: path },
    cause,
  );
