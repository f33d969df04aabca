import { CuzkError } from '@cuzk/core/errors';
import { Base64Decoder } from './base64-decoder.ts';
import { requireObject } from './first-character.ts';

/** What the wrapper of Lotus and Curio says beside the C1; all absent in a plain C1. */
export interface WrapperFields {
  sectorNumber?: string;
  sectorBytes?: number;
  miner?: string;
}

const KEYS = ['SectorNum', 'Phase1Out', 'SectorSize', 'Miner'];
/** Before the first key of either form nothing but whitespace and a brace can stand. */
const HEAD_MAX = 4096;
const KEY_MAX = 64;
const VALUE_MAX = 128;

/** Characters of numbers, true, false and null. */
const LITERAL = /[0-9A-Za-z.+-]/;

const notJson = (expected: string, found: string): CuzkError =>
  new CuzkError('C1_NOT_JSON', 'The body is not a JSON document.', { expected, found });

/**
 * The bytes of the C1 document: the body itself, or the decoded `Phase1Out` of the wrapper form
 * `{SectorNum, Phase1Out, SectorSize}` (recognised by its first key, members in any order), whose other members
 * are written into `fields`. Nothing but the current chunk is held. Throws C1_NOT_JSON, C1_MALFORMED.
 */
export async function* unwrapC1(
  chunks: AsyncIterable<Uint8Array>,
  fields: WrapperFields,
): AsyncGenerator<Uint8Array> {
  const iterator = chunks[Symbol.asyncIterator]();
  const head: Uint8Array[] = [];
  let headText = '';
  for (;;) {
    const { value, done } = await iterator.next();
    if (done) break;
    head.push(value);
    headText += Buffer.from(value).subarray(0, HEAD_MAX).toString('latin1');
    if (firstKey(headText) !== null || headText.length >= HEAD_MAX) break;
  }
  requireObject(headText);
  const rest = (async function* () {
    yield* head;
    yield* { [Symbol.asyncIterator]: () => iterator };
  })();
  if (KEYS.includes(firstKey(headText) ?? '')) yield* unwrap(rest, fields);
  else yield* rest;
}

const firstKey = (text: string): string | null => /^\s*\{\s*"([^"]{0,64})"/.exec(text)?.[1] ?? null;

type State =
  | 'open'
  | 'key'
  | 'in-key'
  | 'colon'
  | 'value'
  | 'in-string'
  | 'in-literal'
  | 'after'
  | 'end';

/** A reader of one flat object of strings and numbers, byte by byte; `Phase1Out` goes through a decoder. */
class WrapperReader {
  readonly #fields: WrapperFields;
  readonly #base64 = new Base64Decoder();
  #state: State = 'open';
  #key = '';
  #value = '';
  #hasC1 = false;

  constructor(fields: WrapperFields) {
    this.#fields = fields;
  }

  /** Decoded bytes of Phase1Out inside this chunk. */
  read(text: string): Uint8Array[] {
    const out: Uint8Array[] = [];
    for (let i = 0; i < text.length; i++) {
      if (this.#state === 'in-string' && this.#key === 'Phase1Out') {
        const end = text.indexOf('"', i);
        out.push(this.#base64.push(text.slice(i, end < 0 ? text.length : end)));
        if (end < 0) return out;
        this.#base64.end();
        this.#state = 'after';
        i = end;
      } else this.#step(text[i] as string);
    }
    return out;
  }

  end(): void {
    if (this.#state !== 'end') throw notJson('the end of the object', 'the end of the body');
    if (this.#hasC1) return;
    throw new CuzkError('C1_MALFORMED', 'The wrapper has no C1.', {
      pointer: '/Phase1Out',
      expected: 'the C1 as base64',
      found: 'nothing',
    });
  }

  #step(character: string): void {
    const state = this.#state;
    if (state === 'in-key' || state === 'in-string') {
      this.#inText(character);
      return;
    }
    if (state === 'in-literal') {
      if (LITERAL.test(character)) {
        this.#append(character, VALUE_MAX);
        return;
      }
      this.#member(this.#value);
      this.#state = 'after';
    }
    if (!/\s/.test(character)) this.#punctuation(character);
  }

  #inText(character: string): void {
    if (character === '\\') throw notJson('a plain string', 'an escape');
    if (character !== '"') {
      this.#append(character, this.#state === 'in-key' ? KEY_MAX : VALUE_MAX);
      return;
    }
    if (this.#state === 'in-key') {
      this.#key = this.#value;
      this.#state = 'colon';
      return;
    }
    this.#member(this.#value);
    this.#state = 'after';
  }

  #append(character: string, limit: number): void {
    if (this.#value.length >= limit) throw notJson(`at most ${limit} characters`, 'more');
    this.#value += character;
  }

  #punctuation(character: string): void {
    const next = NEXT[this.#state]?.(character);
    if (!next) throw notJson(EXPECTED[this.#state] ?? 'nothing more', `"${character}"`);
    this.#value = next === 'in-literal' ? character : '';
    this.#state = next;
    if (next === 'in-string' && this.#key === 'Phase1Out') this.#startC1();
  }

  #startC1(): void {
    if (this.#hasC1) throw repeated('Phase1Out');
    this.#hasC1 = true;
  }

  #member(text: string): void {
    const fields = this.#fields;
    if (this.#key === 'SectorNum') {
      if (fields.sectorNumber !== undefined) throw repeated(this.#key);
      fields.sectorNumber = text;
    } else if (this.#key === 'SectorSize') {
      if (fields.sectorBytes !== undefined) throw repeated(this.#key);
      fields.sectorBytes = Number(text);
    } else if (this.#key === 'Miner') {
      if (fields.miner !== undefined) throw repeated(this.#key);
      fields.miner = text;
    } else if (this.#key === 'Phase1Out') {
      throw new CuzkError('C1_MALFORMED', 'Phase1Out is not a string.', {
        pointer: '/Phase1Out',
        expected: 'the C1 as base64',
        found: 'no string',
      });
    }
  }
}

const repeated = (key: string): CuzkError =>
  new CuzkError('C1_MALFORMED', 'A member of the wrapper is there twice.', { pointer: `/${key}` });

const NEXT: Partial<Record<State, (character: string) => State | undefined>> = {
  open: (c) => (c === '{' ? 'key' : undefined),
  key: (c) => (c === '"' ? 'in-key' : undefined),
  colon: (c) => (c === ':' ? 'value' : undefined),
  value: (c) => (c === '"' ? 'in-string' : LITERAL.test(c) ? 'in-literal' : undefined),
  after: (c) => (c === ',' ? 'key' : c === '}' ? 'end' : undefined),
};

const EXPECTED: Partial<Record<State, string>> = {
  open: '"{"',
  key: 'a key',
  colon: '":"',
  value: 'a string or a number',
  after: '"," or "}"',
};

async function* unwrap(
  chunks: AsyncIterable<Uint8Array>,
  fields: WrapperFields,
): AsyncGenerator<Uint8Array> {
  const reader = new WrapperReader(fields);
  for await (const chunk of chunks) yield* reader.read(Buffer.from(chunk).toString('latin1'));
  reader.end();
}
