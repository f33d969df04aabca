import {
  END,
  type JsonInput,
  malformed,
  notJson,
  type Pull,
  peekByte,
  takeByte,
} from './json-input.ts';

/** Longest string of a document, in bytes between its quotes; longest number, in characters. */
const MAX_STRING_BYTES = 65_536;
const MAX_NUMBER_CHARACTERS = 1024;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const NUMBER = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/;

/** What kind of value begins with this byte, in words; undefined where none does. */
function kindOf(byte: number): string | undefined {
  if (byte === 0x7b) return 'an object';
  if (byte === 0x5b) return 'an array';
  if (byte === QUOTE) return 'a string';
  if (byte === 0x2d || (byte >= 0x30 && byte <= 0x39)) return 'a number';
  if (byte === 0x74 || byte === 0x66) return 'a boolean';
  return byte === 0x6e ? 'null' : undefined;
}

/** Peeks at a value and checks its kind. Throws C1_NOT_JSON where no value begins, C1_MALFORMED for another kind. */
export function* peekKind(input: JsonInput, expected: string): Pull<void> {
  const byte = yield* peekByte(input);
  const found = byte === END ? undefined : kindOf(byte);
  if (found === undefined) throw notJson(input, expected);
  if (found !== expected) throw malformed(input, 'a value has the wrong type', { expected, found });
}

/** Takes a string and returns its value. Throws C1_MALFORMED beyond 65,536 bytes. */
export function* readString(input: JsonInput): Pull<string> {
  yield* peekKind(input, 'a string');
  const simple = scanSimpleString(input);
  if (simple !== undefined) return simple;
  input.position++;
  let text = '';
  let escaped = false;
  for (let length = 0; ; length++) {
    const byte = yield* takeByte(input, 'the rest of a string');
    if (byte === QUOTE) break;
    if (byte < 0x20) throw badString(input);
    text += percentEncoded(byte);
    if (byte === BACKSLASH) {
      escaped = true;
      text += percentEncoded(yield* takeByte(input, 'the rest of a string'));
    }
    if (length === MAX_STRING_BYTES) {
      throw malformed(input, 'a string is too long', {
        expected: `at most ${MAX_STRING_BYTES} bytes`,
        found: 'more',
      });
    }
  }
  try {
    const decoded = decodeURIComponent(text);
    return escaped ? JSON.parse(`"${decoded}"`) : decoded;
  } catch {
    throw badString(input);
  }
}

/** Takes a short printable ASCII string without escapes that ends in this chunk, as every field name does. */
function scanSimpleString(input: JsonInput): string | undefined {
  const start = input.position + 1;
  const end = Math.min(input.bytes.length, start + 64);
  let text = '';
  for (let i = start; i < end; i++) {
    const byte = input.bytes[i];
    if (byte === QUOTE) {
      input.position = i + 1;
      return text;
    }
    if (byte < 0x20 || byte > 0x7e || byte === BACKSLASH) return undefined;
    text += String.fromCharCode(byte);
  }
  return undefined;
}

/** decodeURIComponent is the strict UTF-8 decoder that every JavaScript engine has. */
const percentEncoded = (byte: number): string =>
  byte < 0x80 && byte !== 0x25 ? String.fromCharCode(byte) : `%${byte.toString(16)}`;

function badString(input: JsonInput) {
  input.position--;
  return notJson(input, 'a string of valid UTF-8 and escapes');
}

/** Takes a number and returns it as written. */
function* readNumberText(input: JsonInput): Pull<string> {
  let text = '';
  while (true) {
    while (input.position >= input.bytes.length && !input.ended) yield;
    const byte = input.position < input.bytes.length ? input.bytes[input.position] : 0;
    // Digits, sign, point, exponent: whatever else stands here ends the number.
    if (!((byte >= 0x30 && byte <= 0x39) || '+-.eE'.includes(String.fromCharCode(byte)))) break;
    text += String.fromCharCode(byte);
    input.position++;
    if (text.length > MAX_NUMBER_CHARACTERS) throw notJson(input, 'a shorter number');
  }
  if (!NUMBER.test(text)) throw notJson(input, 'a number');
  return text;
}

/**
 * Takes an integer in 0 … maximum, written as plain digits. Throws C1_MALFORMED, with `message`, for any other
 * number or value.
 */
export function* readInteger(
  input: JsonInput,
  maximum: number,
  message = 'a number is out of range',
): Pull<number> {
  yield* peekKind(input, 'a number');
  const text = yield* readNumberText(input);
  const value = /^[0-9]{1,16}$/.test(text) ? Number(text) : Number.POSITIVE_INFINITY;
  if (value > maximum) {
    throw malformed(input, message, {
      expected: `an integer in 0 … ${maximum}`,
      found: text.slice(0, 24),
    });
  }
  return value;
}

/** Takes `null`, `true`, `false` or a number whose value nobody needs. */
export function* skipScalar(input: JsonInput): Pull<void> {
  const byte = yield* peekByte(input);
  if (byte === QUOTE) {
    yield* readString(input);
    return;
  }
  const literal = { 116: 'true', 102: 'false', 110: 'null' }[byte];
  if (literal === undefined) {
    yield* peekKind(input, 'a number');
    yield* readNumberText(input);
    return;
  }
  for (const character of literal) {
    const taken = yield* takeByte(input, literal);
    if (taken !== character.charCodeAt(0)) {
      input.position--;
      throw notJson(input, literal);
    }
  }
}
