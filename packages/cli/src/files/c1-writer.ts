import { createHash } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import { CuzkError } from '@cuzk/core/errors';
import { type C1Source, c1JsonPieces } from '@cuzk/core/porep/c1-json';

/** What was written, as stored. */
export interface WrittenC1 {
  readonly bytes: number;
  /** Hex. */
  readonly sha256: string;
}

/**
 * Writes a C1 document piece by piece, so that one challenge is held at a time, and under a temporary name until
 * it is whole: `path` is either the old file or the complete new one. Errors: REQUEST_INVALID where the file
 * cannot be made there.
 */
export async function writeC1(path: string, source: C1Source): Promise<WrittenC1> {
  const partial = `${path}.${process.pid}.partial`;
  const file = await open(partial, 'w').catch((cause: NodeJS.ErrnoException) => {
    throw new CuzkError(
      'REQUEST_INVALID',
      'the C1 file cannot be written',
      { expected: 'a file in a folder that exists and can be written', found: path },
      cause,
    );
  });
  try {
    const hash = createHash('sha256');
    let bytes = 0;
    for (const piece of c1JsonPieces(source)) {
      const encoded = Buffer.from(piece);
      hash.update(encoded);
      await file.writeFile(encoded);
      bytes += encoded.length;
    }
    await file.close();
    await rename(partial, path);
    return { bytes, sha256: hash.digest('hex') };
  } catch (error) {
    await file.close().catch(() => {});
    await rm(partial, { force: true });
    throw error;
  }
}
