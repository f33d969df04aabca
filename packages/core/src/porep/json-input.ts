import { CuzkError, type ErrorFacts } from '../errors.ts';

/**
 * A JSON document that arrives in chunks and is read once, front to back. Readers are generators that yield
 * where they need the next chunk, so recursive descent works on a stream and nothing but the current chunk
 * is kept.
 */
export interface JsonInput {
  /** The current chunk. */
  bytes: Uint8Array;
  /** Next byte to read in `bytes`. */
  position: number;
  /** Bytes of the document before this chunk. */
  before: number;
  /** No chunk will follow. */
  ended: boolean;
  /** Keys and indices that lead to the value being read. */
  readonly path: (string | number)[];
}

/** Reads something; yields when `bytes` is used up and another chunk may come. */
export type Pull<T> = Generator<void, T, void>;
export type Reader<T> = (input: JsonInput) => Pull<T>;

/** What peekByte returns at the end of the document. */
export const END = -1;

const MAX_SHOWN_CHARACTERS = 64;

/**
 * Drives `read` over the chunks, and `between` after every chunk. The document must end where the value
 * ends. Throws what `read` throws, C1_NOT_JSON for anything behind the value.
 */
export async function readJsonChunks<T>(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  read: Reader<T>,
  between: () => void | Promise<void> = () => {},
): Promise<T> {
  const input: JsonInput = {
    bytes: new Uint8Array(0),
    position: 0,
    before: 0,
    ended: false,
    path: [],
  };
  const reading = readDocument(input, read);
  let step = reading.next();
  for await (const chunk of chunks) {
    input.before += input.bytes.length;
    input.bytes = chunk;
    input.position = 0;
    step = reading.next();
    await between();
  }
  input.ended = true;
  while (!step.done) step = reading.next();
  await between();
  return step.value;
}

function* readDocument<T>(input: JsonInput, read: Reader<T>): Pull<T> {
  const value = yield* read(input);
  if ((yield* peekByte(input)) !== END) throw notJson(input, 'the end of the document');
  return value;
}

const isWhitespace = (byte: number): boolean =>
  byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

/** The next byte that is not whitespace, not yet taken; END at the end of the document. */
export function* peekByte(input: JsonInput): Pull<number> {
  while (true) {
    for (; input.position < input.bytes.length; input.position++) {
      const byte = input.bytes[input.position];
      if (!isWhitespace(byte)) return byte;
    }
    if (input.ended) return END;
    yield;
  }
}

/** The next byte, whitespace included, taken. Throws C1_NOT_JSON at the end of the document. */
export function* takeByte(input: JsonInput, expected: string): Pull<number> {
  while (input.position >= input.bytes.length) {
    if (input.ended) throw notJson(input, expected);
    yield;
  }
  return input.bytes[input.position++];
}

/** Takes `byte`, after whitespace. Throws C1_NOT_JSON where something else stands. */
export function* takePunctuation(input: JsonInput, byte: number): Pull<void> {
  if ((yield* peekByte(input)) !== byte) throw notJson(input, `"${String.fromCharCode(byte)}"`);
  input.position++;
}

/** RFC 6901 pointer to the value being read; long keys are cut. */
export function pointerOf(input: JsonInput, ...more: (string | number)[]): string {
  const escaped = (part: string | number): string =>
    String(part).slice(0, MAX_SHOWN_CHARACTERS).replaceAll('~', '~0').replaceAll('/', '~1');
  return [...input.path, ...more].map((part) => `/${escaped(part)}`).join('');
}

/** The error for bytes that no JSON document has here; call it with the cursor on the offending byte. */
export function notJson(input: JsonInput, expected: string): CuzkError {
  const offset = input.before + input.position;
  const ended = input.position >= input.bytes.length;
  const byte = ended ? 0 : input.bytes[input.position];
  const shown =
    byte > 0x20 && byte < 0x7f
      ? `"${String.fromCharCode(byte)}"`
      : `byte 0x${byte.toString(16).padStart(2, '0')}`;
  return new CuzkError(
    'C1_NOT_JSON',
    ended ? 'the document ends before its JSON does' : 'the document is not JSON',
    {
      expected,
      found: ended ? `end of the document after ${offset} bytes` : `${shown} at byte ${offset}`,
      pointer: pointerOf(input),
    },
  );
}

/** The error for JSON that is not a C1. */
export function malformed(
  input: JsonInput,
  message: string,
  facts: Pick<ErrorFacts, 'expected' | 'found'> & { at?: readonly (string | number)[] },
): CuzkError {
  const { at = [], ...rest } = facts;
  return new CuzkError('C1_MALFORMED', message, { ...rest, pointer: pointerOf(input, ...at) });
}
