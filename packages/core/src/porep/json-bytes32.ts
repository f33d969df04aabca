import { isCanonicalFr } from './canonical-fr.ts';
import { type JsonInput, malformed, type Pull, peekByte } from './json-input.ts';
import { readInteger } from './json-scalar.ts';
import { readArray } from './json-value.ts';

const LENGTH = 32;

/**
 * Takes an array of 32 integers 0 … 255, the form of every 32-byte quantity of a C1 (spec §2.1). Nine tenths
 * of a C1 are such arrays, so they are scanned in one loop where the chunk holds all of one; at chunk ends and
 * wherever something is odd, the plain reader takes over and finds the exact error.
 */
export function* readBytes32(input: JsonInput): Pull<Uint8Array> {
  yield* peekByte(input);
  const target = new Uint8Array(LENGTH);
  const next = scanBytes32(input.bytes, input.position, target);
  if (next < 0) return yield* readBytes32Plain(input);
  input.position = next;
  return target;
}

/** The same by the general readers. */
export function* readBytes32Plain(input: JsonInput): Pull<Uint8Array> {
  return Uint8Array.from(yield* readArray(input, LENGTH, 'bytes', readByte));
}

const readByte = (input: JsonInput): Pull<number> =>
  readInteger(input, 255, 'a byte is out of range');

/**
 * Reads `[b0,b1,…,b31]` at `start` into `target`. Returns the position behind it, or −1 where the chunk ends
 * early or anything else stands there (then `target` holds no meaning).
 */
export function scanBytes32(bytes: Uint8Array, start: number, target: Uint8Array): number {
  if (bytes[start] !== 0x5b) return -1;
  let position = start + 1;
  for (let i = 0; i < LENGTH; i++) {
    const first = skipSpaces(bytes, position);
    position = skipDigits(bytes, first);
    const value = smallInteger(bytes, first, position);
    if (value > 255) return -1;
    target[i] = value;
    position = skipSpaces(bytes, position);
    const follows = i === LENGTH - 1 ? 0x5d : 0x2c;
    if (position >= bytes.length || bytes[position] !== follows) return -1;
    position++;
  }
  return position;
}

function skipDigits(bytes: Uint8Array, start: number): number {
  let position = start;
  while (position < bytes.length && bytes[position] >= 0x30 && bytes[position] <= 0x39) position++;
  return position;
}

/** The decimal number of 1 to 3 digits without a leading zero at first … end − 1; 256 for anything else. */
function smallInteger(bytes: Uint8Array, first: number, end: number): number {
  const digits = end - first;
  if (digits < 1 || digits > 3 || (digits > 1 && bytes[first] === 0x30)) return 256;
  let value = 0;
  for (let i = first; i < end; i++) value = 10 * value + bytes[i] - 0x30;
  return value;
}

function skipSpaces(bytes: Uint8Array, start: number): number {
  let position = start;
  while (position < bytes.length && bytes[position] <= 0x20) {
    const byte = bytes[position];
    if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) break;
    position++;
  }
  return position;
}

/** As readBytes32; throws C1_MALFORMED unless the value, read little-endian, is below the field order. */
export function* readFr(input: JsonInput): Pull<Uint8Array> {
  const bytes = yield* readBytes32(input);
  if (!isCanonicalFr(bytes)) {
    throw malformed(input, 'a field element is not canonical', {
      expected: 'a little-endian value below the order of the scalar field',
      found: 'a value not below it',
    });
  }
  return bytes;
}
