import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { CuzkError } from '@cuzk/core/errors';

/** The unpacked bytes of a gzip stream. Throws REQUEST_INVALID when it is damaged or cut off. */
export async function* gunzip(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const source = Readable.from(chunks);
  const unpacked = createGunzip();
  let sourceError: unknown = null;
  source.on('error', (error) => {
    sourceError = error;
    unpacked.destroy(error);
  });
  source.pipe(unpacked);
  try {
    for await (const chunk of unpacked) yield chunk as Uint8Array;
  } catch (error) {
    if (sourceError) throw sourceError;
    throw new CuzkError(
      'REQUEST_INVALID',
      'The body is not a whole gzip stream.',
      { expected: 'gzip as the content encoding says', found: 'damaged or cut data' },
      error,
    );
  } finally {
    source.destroy();
    unpacked.destroy();
  }
}
