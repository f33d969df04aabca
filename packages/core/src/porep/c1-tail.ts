import { CuzkError } from '../errors.ts';
import type { C1Header } from './c1-document.ts';
import { headerReaders, type PartialHeader } from './c1-reader.ts';
import { type Pull, readJsonChunks } from './json-input.ts';
import { readFields, repeatedField, skipValue } from './json-value.ts';

/** The end of a C1 that has its header: five arrays of 32 numbers, at most 4 characters each, and white space. */
export const C1_TAIL_BYTES = 16_384;

const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const COMMA = 0x2c;

/**
 * Fields of the header behind the vanilla proofs, from the last bytes of a C1: what follows the last object in it. They
 * are a forecast, to be checked when the document has been read; empty when the end does not look like that. The proof
 * type is none of them: it says how to read the vanilla proofs, and a C1 that has it behind them is read whole first.
 */
export async function readC1Tail(tail: Uint8Array): Promise<Partial<C1Header>> {
  const end = tail.lastIndexOf(CLOSE_OBJECT);
  const comma = tail.indexOf(COMMA, tail.lastIndexOf(CLOSE_OBJECT, end - 1));
  if (end < 1 || comma < 0 || comma > end) return {};
  // a copy; the slice of a Buffer would be a view
  const document = Uint8Array.from(tail.subarray(comma, end + 1));
  document[0] = OPEN_OBJECT;
  const header: PartialHeader = {};
  try {
    await readJsonChunks([document], function* (input) {
      const readers: Record<string, () => Pull<void>> = headerReaders(input, header);
      const seen = new Set<string>();
      yield* readFields(input, function* (key) {
        if (seen.has(key)) throw repeatedField(input);
        seen.add(key);
        const known = key !== 'registered_proof' && Object.hasOwn(readers, key);
        yield* known ? readers[key]() : skipValue(input);
      });
    });
  } catch (error) {
    if (error instanceof CuzkError) return {};
    throw error;
  }
  return header;
}
