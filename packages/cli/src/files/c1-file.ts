import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { CuzkError } from '@cuzk/core/errors';
import type { C1Header } from '@cuzk/core/porep/c1-document';
import { c1Reader } from '@cuzk/core/porep/c1-reader';
import { readJsonChunks } from '@cuzk/core/porep/json-input';

/** The bytes of a C1 file in chunks. Errors: REQUEST_INVALID when there is no such file. */
export async function openC1(path: string): Promise<AsyncIterable<Uint8Array>> {
  const found = await stat(path).catch(() => null);
  if (found?.isFile() !== true) {
    throw new CuzkError('REQUEST_INVALID', 'the C1 file cannot be read', {
      expected: 'a readable file',
      found: path,
    });
  }
  return createReadStream(path, { highWaterMark: 1 << 20 });
}

/** Everything of a C1 but its vanilla proofs, whose structure is checked on the way. Errors: as c1Reader. */
export async function readC1Header(path: string): Promise<C1Header> {
  const reader = c1Reader({ onHeader: () => {}, onChallenge: () => {} });
  return readJsonChunks(await openC1(path), reader);
}
