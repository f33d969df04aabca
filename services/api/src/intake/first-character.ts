import { CuzkError } from '@cuzk/core/errors';

/** How the JSON values that are no object begin. */
const OTHER_VALUES: Readonly<Record<string, string>> = {
  '[': 'an array',
  '"': 'a string',
  t: 'true',
  f: 'false',
  n: 'null',
  '-': 'a number',
};

/** Refuses a document by its first character: C1_NOT_JSON, or C1_MALFORMED for JSON that is no object. */
export function requireObject(text: string): void {
  const first = text.trimStart()[0];
  if (first === '{') return;
  if (first === undefined) {
    throw new CuzkError('C1_NOT_JSON', 'the document is empty', {
      expected: 'an object',
      found: 'nothing',
      pointer: '',
    });
  }
  const value = /[0-9]/.test(first) ? 'a number' : OTHER_VALUES[first];
  if (value !== undefined) {
    throw new CuzkError('C1_MALFORMED', 'wrong type', {
      expected: 'an object',
      found: value,
      pointer: '',
    });
  }
  throw new CuzkError('C1_NOT_JSON', 'the document is not JSON', {
    expected: 'an object',
    found: /[\x21-\x7e]/.test(first) ? `"${first}"` : 'another byte',
    pointer: '',
  });
}
