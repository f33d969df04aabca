import { CuzkError } from '@cuzk/core/errors';

const ALPHABET = /^[A-Za-z0-9+/]*={0,2}$/;

const malformed = (found: string): CuzkError =>
  new CuzkError('C1_MALFORMED', 'Phase1Out is not standard base64.', {
    pointer: '/Phase1Out',
    expected: 'standard base64 with padding',
    found,
  });

/** Decodes base64 that arrives in pieces. Throws C1_MALFORMED on anything that is not standard base64. */
export class Base64Decoder {
  #rest = '';
  #ended = false;

  /** The bytes that are complete with this piece. */
  push(piece: string): Uint8Array {
    const text = this.#rest + piece;
    const whole = text.length - (text.length % 4);
    this.#rest = text.slice(whole);
    return this.#decode(text.slice(0, whole));
  }

  /** Must be called at the end of the text. */
  end(): void {
    if (this.#rest.length > 0) throw malformed('a length that is no multiple of four');
  }

  #decode(text: string): Uint8Array {
    if (text.length === 0) return new Uint8Array(0);
    if (this.#ended) throw malformed('characters after the padding');
    if (!ALPHABET.test(text)) throw malformed('a character outside the alphabet');
    this.#ended = text.endsWith('=');
    return Buffer.from(text, 'base64');
  }
}
