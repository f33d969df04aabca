import {
  type JsonInput,
  malformed,
  notJson,
  type Pull,
  peekByte,
  type Reader,
  takePunctuation,
} from './json-input.ts';
import { peekKind, readString, skipScalar } from './json-scalar.ts';

/** Deepest nesting inside a field that is ignored. */
const MAX_IGNORED_DEPTH = 64;

const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** Takes an object and calls `onField` for each key, which must read the value. */
export function* readFields(input: JsonInput, onField: (key: string) => Pull<void>): Pull<void> {
  yield* peekKind(input, 'an object');
  input.position++;
  if ((yield* peekByte(input)) === CLOSE_OBJECT) {
    input.position++;
    return;
  }
  while (true) {
    if ((yield* peekByte(input)) !== 0x22) throw notJson(input, 'a field name');
    const key = yield* readString(input);
    yield* takePunctuation(input, COLON);
    input.path.push(key);
    yield* onField(key);
    input.path.pop();
    if (yield* atEnd(input, CLOSE_OBJECT)) return;
  }
}

/** Takes the comma or the closing byte behind an element. */
function* atEnd(input: JsonInput, close: number): Pull<boolean> {
  const byte = yield* peekByte(input);
  if (byte !== COMMA && byte !== close) {
    throw notJson(input, `"," or "${String.fromCharCode(close)}"`);
  }
  input.position++;
  return byte === close;
}

/**
 * Takes an object with all the named fields, in any order. Other fields are ignored. Throws C1_MALFORMED for a
 * missing field and, as Rust's parser does, for a repeated one.
 */
export function* readObject<T extends object>(
  input: JsonInput,
  readers: { readonly [K in keyof T]: Reader<T[K]> },
): Pull<T> {
  const value: Partial<T> = {};
  yield* readFields(input, function* (key) {
    if (!Object.hasOwn(readers, key)) {
      yield* skipValue(input);
      return;
    }
    const name = key as keyof T;
    if (name in value) throw repeatedField(input);
    value[name] = yield* readers[name](input);
  });
  for (const name of Object.keys(readers)) {
    if (!(name in value)) throw missingField(input, name);
  }
  return value as T;
}

export const missingField = (input: JsonInput, name: string) =>
  malformed(input, 'a field is missing', {
    expected: `the field "${name}"`,
    found: 'none',
    at: [name],
  });

export const repeatedField = (input: JsonInput) =>
  malformed(input, 'a field is given twice', { expected: 'one value', found: 'a second one' });

/**
 * Takes an object that names one alternative, such as `{"Single": …}`, and reads it by the reader of that
 * name. Throws C1_MALFORMED for another name and for more or fewer than one.
 */
export function* readAlternative<T>(
  input: JsonInput,
  readerOf: (key: string) => Reader<T> | undefined,
  expected: string,
): Pull<T> {
  const found: T[] = [];
  yield* readFields(input, function* (key) {
    const read = readerOf(key);
    if (read === undefined || found.length > 0) {
      throw malformed(input, 'a key does not fit', { expected, found: `"${key.slice(0, 64)}"` });
    }
    found.push(yield* read(input));
  });
  if (found.length === 0) throw malformed(input, 'a key is missing', { expected, found: 'no key' });
  return found[0];
}

/** Takes an array, calling `onItem` before each element, which must read it. Returns the number of elements. */
export function* readItems(input: JsonInput, onItem: (index: number) => Pull<void>): Pull<number> {
  yield* peekKind(input, 'an array');
  input.position++;
  if ((yield* peekByte(input)) === CLOSE_ARRAY) {
    input.position++;
    return 0;
  }
  for (let index = 0; ; index++) {
    input.path.push(index);
    yield* onItem(index);
    input.path.pop();
    if (yield* atEnd(input, CLOSE_ARRAY)) return index + 1;
  }
}

/** Takes an array of exactly `count` elements; `noun` names them in the C1_MALFORMED error for any other count. */
export function* readArray<T>(
  input: JsonInput,
  count: number,
  noun: string,
  readItem: Reader<T>,
): Pull<T[]> {
  const items: T[] = [];
  const total = yield* readItems(input, function* (index) {
    if (index === count) {
      input.path.pop();
      throw wrongCount(input, count, noun, `${count + 1} or more`);
    }
    items.push(yield* readItem(input));
  });
  if (total < count) throw wrongCount(input, count, noun, String(total));
  return items;
}

/** The error for an array of another length. */
export const wrongCount = (input: JsonInput, count: number, noun: string, found: string) =>
  malformed(input, `the number of ${noun} is wrong`, { expected: `${count} ${noun}`, found });

/** Takes any value without keeping it. Throws C1_MALFORMED beyond 64 levels. */
export function* skipValue(input: JsonInput, depth = 0): Pull<void> {
  const byte = yield* peekByte(input);
  if (byte !== OPEN_OBJECT && byte !== OPEN_ARRAY) {
    yield* skipScalar(input);
    return;
  }
  if (depth === MAX_IGNORED_DEPTH) {
    throw malformed(input, 'an ignored field is nested too deep', {
      expected: `at most ${MAX_IGNORED_DEPTH} levels`,
      found: 'more',
    });
  }
  const inner = () => skipValue(input, depth + 1);
  yield* byte === OPEN_OBJECT ? readFields(input, inner) : readItems(input, inner);
}
