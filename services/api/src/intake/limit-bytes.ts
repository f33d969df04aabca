import { CuzkError } from '@cuzk/core/errors';

/** The chunks, as long as they stay within `maxBytes`. Throws BODY_TOO_LARGE at the first byte beyond. */
export async function* limitBytes(
  chunks: AsyncIterable<Uint8Array>,
  maxBytes: number,
  what: string,
): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw tooLarge(maxBytes, what);
    yield chunk;
  }
}

/** The error for a body over the limit. */
export const tooLarge = (maxBytes: number, what: string): CuzkError =>
  new CuzkError('BODY_TOO_LARGE', `The ${what} is too large.`, {
    expected: `at most ${maxBytes} bytes`,
    found: 'more',
    action: 'The limit is the setting MAX_BODY_BYTES.',
  });
