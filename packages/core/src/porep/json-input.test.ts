import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bigintToLe } from '../bytes.ts';
import type { CuzkError } from '../errors.ts';
import { FR_MODULUS } from '../field/fr.ts';
import { readBytes32, readBytes32Plain, readFr, scanBytes32 } from './json-bytes32.ts';
import { type JsonInput, type Reader, readJsonChunks } from './json-input.ts';
import { readInteger, readString } from './json-scalar.ts';
import { readAlternative, readArray, readObject, skipValue } from './json-value.ts';

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

function* split(bytes: Uint8Array, size: number): Generator<Uint8Array> {
  for (let i = 0; i < bytes.length; i += size) yield bytes.subarray(i, i + size);
}

const read = <T>(text: string | Uint8Array, reader: Reader<T>, size = 7): Promise<T> =>
  readJsonChunks(split(typeof text === 'string' ? encode(text) : text, size), reader);

const failure = async (text: string | Uint8Array, reader: Reader<unknown>): Promise<string> => {
  const error = await read(text, reader).then(
    () => expect.unreachable('no error'),
    (caught: CuzkError) => caught,
  );
  const { pointer, expected, found } = error.facts;
  return `${error.code} ${pointer}: ${expected} / ${found}`;
};

const skip = (input: JsonInput) => skipValue(input);

describe('any JSON', () => {
  it('is skipped in chunks of any size', async () => {
    await fc.assert(
      fc.asyncProperty(fc.json(), fc.integer({ min: 1, max: 9 }), async (text, size) => {
        await read(` ${text}\n`, skip, size);
      }),
      { numRuns: 300 },
    );
  });

  it('is told from what is not JSON exactly as JSON.parse does', async () => {
    const characters = fc.constantFrom(...'[]{},:"\\ \t0123-+.eEtruefalsnulx\u00e9\u0001');
    await fc.assert(
      fc.asyncProperty(fc.array(characters, { maxLength: 12 }), async (list) => {
        const text = list.join('');
        const accepted = await read(text, skip).then(
          () => true,
          () => false,
        );
        let valid = true;
        try {
          JSON.parse(text);
        } catch {
          valid = false;
        }
        expect(accepted).toBe(valid);
      }),
      { numRuns: 3000 },
    );
  });

  it('fails with the offset of the first bad byte', async () => {
    expect(await failure('{"a":[1,2,}]', skip)).toBe('C1_NOT_JSON /a/2: a number / "}" at byte 10');
    expect(await failure('{"a":[1,2', skip)).toBe(
      'C1_NOT_JSON /a: "," or "]" / end of the document after 9 bytes',
    );
    expect(await failure('', skip)).toContain('end of the document after 0 bytes');
    expect(await failure('{} x', skip)).toBe(
      'C1_NOT_JSON : the end of the document / "x" at byte 3',
    );
    expect(await failure('{"a":nul1}', skip)).toBe('C1_NOT_JSON /a: null / "1" at byte 8');
  });

  it('is refused where it is nested too deep or a string is too long', async () => {
    await read(`${'['.repeat(64)}${']'.repeat(64)}`, skip);
    expect(await failure(`${'['.repeat(65)}${']'.repeat(65)}`, skip)).toContain(
      'at most 64 levels',
    );
    await read(`"${'x'.repeat(65_536)}"`, skip, 4096);
    expect(await failure(`"${'x'.repeat(65_537)}"`, skip)).toContain('at most 65536 bytes');
  });
});

describe('strings', () => {
  it('come out as JSON.parse reads them', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme' }), async (text) => {
        expect(await read(JSON.stringify(text), readString, 3)).toBe(text);
      }),
    );
    expect(await read(String.raw`"\u0041\n\/\"%20"`, readString)).toBe('A\n/"%20');
  });

  it('are refused with broken UTF-8, escapes or control characters', async () => {
    const broken = [Uint8Array.of(0x22, 0xff, 0x22), Uint8Array.of(0x22, 0xed, 0xa0, 0x80, 0x22)];
    for (const bytes of broken) expect(await failure(bytes, readString)).toMatch(/^C1_NOT_JSON/);
    for (const text of [String.raw`"\x"`, '"\n"', String.raw`"\u12"`]) {
      expect(await failure(text, readString)).toMatch(/^C1_NOT_JSON/);
    }
  });
});

describe('integers', () => {
  it('are plain digits up to the maximum', async () => {
    expect(await read('9007199254740991', (input) => readInteger(input, 2 ** 53 - 1))).toBe(
      2 ** 53 - 1,
    );
    for (const text of ['-1', '1.0', '1e1', '256', '99999999999999999999']) {
      expect(await failure(text, (input) => readInteger(input, 255))).toBe(
        `C1_MALFORMED : an integer in 0 … 255 / ${text}`,
      );
    }
    for (const text of ['01', '+1', '1.', '.5']) {
      expect(await failure(text, (input) => readInteger(input, 255))).toMatch(/^C1_NOT_JSON/);
    }
    expect(await failure('"1"', (input) => readInteger(input, 255))).toBe(
      'C1_MALFORMED : a number / a string',
    );
  });
});

describe('objects and arrays', () => {
  const point: Reader<{ x: number; y: number }> = (input) =>
    readObject<{ x: number; y: number }>(input, {
      x: (field) => readInteger(field, 9),
      y: (field) => readInteger(field, 9),
    });

  it('take fields in any order and ignore unknown ones', async () => {
    expect(await read('{"z":{"x":[1,{}]},"y":2,"x":1,"toString":null}', point)).toEqual({
      x: 1,
      y: 2,
    });
  });

  it('name a missing, a repeated and a mistyped field', async () => {
    expect(await failure('{"x":1}', point)).toBe('C1_MALFORMED /y: the field "y" / none');
    expect(await failure('{"x":1,"x":2}', point)).toBe('C1_MALFORMED /x: one value / a second one');
    expect(await failure('{"x":[]}', point)).toBe('C1_MALFORMED /x: a number / an array');
    expect(await failure('[]', point)).toBe('C1_MALFORMED : an object / an array');
  });

  it('count elements exactly', async () => {
    const pair: Reader<number[]> = (input) =>
      readArray(input, 2, 'things', (item) => readInteger(item, 9));
    expect(await read('[1,2]', pair)).toEqual([1, 2]);
    expect(await failure('[1]', pair)).toBe('C1_MALFORMED : 2 things / 1');
    expect(await failure('[]', pair)).toBe('C1_MALFORMED : 2 things / 0');
    expect(await failure('[1,2,3]', pair)).toBe('C1_MALFORMED : 2 things / 3 or more');
  });

  it('name exactly one alternative', async () => {
    const one: Reader<number> = (input) =>
      readAlternative(
        input,
        (key) => (key === 'A' ? (value) => readInteger(value, 9) : undefined),
        'the key "A"',
      );
    expect(await read('{"A":3}', one)).toBe(3);
    expect(await failure('{"B":3}', one)).toBe('C1_MALFORMED /B: the key "A" / "B"');
    expect(await failure('{}', one)).toBe('C1_MALFORMED : the key "A" / no key');
    expect(await failure('{"A":3,"A":3}', one)).toBe('C1_MALFORMED /A: the key "A" / "A"');
  });
});

describe('32-byte arrays', () => {
  const bytes = fc.array(fc.integer({ min: 0, max: 255 }), { minLength: 32, maxLength: 32 });

  it('are read alike by the one-loop scan and the plain reader, whatever the chunks and spaces', async () => {
    await fc.assert(
      fc.asyncProperty(
        bytes,
        fc.constantFrom(undefined, 1, '\t'),
        fc.integer({ min: 1, max: 400 }),
        async (list, indent, size) => {
          const text = JSON.stringify(list, null, indent);
          expect([...(await read(text, readBytes32, size))]).toEqual(list);
          expect([...(await read(text, readBytes32Plain, size))]).toEqual(list);
          const target = new Uint8Array(32);
          expect(scanBytes32(encode(text), 0, target)).toBe(text.length);
          expect([...target]).toEqual(list);
        },
      ),
    );
  });

  it('fail alike in both', async () => {
    const zeros = (count: number) => new Array(count).fill('0').join();
    for (const text of [
      '[]',
      `[${zeros(31)}]`,
      `[${zeros(33)}]`,
      `[${zeros(31)},256]`,
      `[${zeros(31)},1000]`,
      `[${zeros(31)},-1]`,
      `[${zeros(31)},1.5]`,
      `[${zeros(31)},00]`,
      `[${zeros(31)},"0"]`,
      `[${zeros(31)},]`,
      `[,${zeros(31)}]`,
      `[${zeros(31)},0`,
      `[${zeros(31)} 0]`,
      '"x"',
    ]) {
      expect(scanBytes32(encode(text), 0, new Uint8Array(32))).toBe(-1);
      expect(await failure(text, readBytes32)).toBe(await failure(text, readBytes32Plain));
    }
    expect(await failure(`[${zeros(31)},256]`, readBytes32)).toBe(
      'C1_MALFORMED /31: an integer in 0 … 255 / 256',
    );
    expect(await failure(`[${zeros(31)}]`, readBytes32)).toBe('C1_MALFORMED : 32 bytes / 31');
  });

  it('are field elements up to r − 1', async () => {
    const text = (value: bigint) => JSON.stringify([...bigintToLe(value, 32)]);
    expect(await read(text(FR_MODULUS - 1n), readFr)).toEqual(bigintToLe(FR_MODULUS - 1n, 32));
    expect(await read(text(0n), readFr)).toEqual(new Uint8Array(32));
    for (const value of [FR_MODULUS, FR_MODULUS + 1n, 2n ** 255n, 2n ** 256n - 1n]) {
      expect(await failure(text(value), readFr)).toMatch(
        /^C1_MALFORMED : a little-endian value below/,
      );
    }
  });
});
