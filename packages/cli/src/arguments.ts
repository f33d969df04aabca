import { CuzkError } from '@cuzk/core/errors';
import { findSectorByName, type SectorShape, sizeNames } from '@cuzk/core/porep/sector';

const U64_LIMIT = 2n ** 64n;

/** Sector size as typed (`2KiB`, `32 gib`). Throws CuzkError REQUEST_INVALID. */
export function parseSectorArgument(text: string): SectorShape {
  const found = findSectorByName(text);
  if (found !== undefined) return found;
  throw new CuzkError('REQUEST_INVALID', 'there is no such sector size', {
    expected: sizeNames(),
    found: text.slice(0, 32),
  });
}

/** Sector number in decimal, below 2^64. Throws CuzkError REQUEST_INVALID. */
export function parseSectorNumber(text: string): bigint {
  const value = /^[0-9]{1,20}$/.test(text) ? BigInt(text) : U64_LIMIT;
  if (value < U64_LIMIT) return value;
  throw new CuzkError('REQUEST_INVALID', 'the sector number is not a number', {
    expected: 'a decimal number below 2^64',
    found: text.slice(0, 32),
  });
}

/** Seed of a made-up sector, decimal, below 2^64. Throws CuzkError REQUEST_INVALID. */
export function parseSeed(text: string): bigint {
  const value = /^[0-9]{1,20}$/.test(text) ? BigInt(text) : U64_LIMIT;
  if (value < U64_LIMIT) return value;
  throw new CuzkError('REQUEST_INVALID', 'the seed is not a number', {
    expected: 'a decimal number below 2^64',
    found: text.slice(0, 32),
  });
}

/** A count from 1 to `most`, given as the option `name`. Throws CuzkError REQUEST_INVALID. */
export function parseCount(name: string, text: string, most: number): number {
  const value = /^[0-9]{1,9}$/.test(text) ? Number(text) : 0;
  if (value >= 1 && value <= most) return value;
  throw new CuzkError('REQUEST_INVALID', `${name} is not a count`, {
    expected: `1 to ${most}`,
    found: text.slice(0, 32),
  });
}

const BYTE_UNITS: Readonly<Record<string, number>> = {
  '': 1,
  kib: 2 ** 10,
  mib: 2 ** 20,
  gib: 2 ** 30,
  tib: 2 ** 40,
};

/** Bytes as typed, `23622320128` or `22GiB`, given as the option `name`. Throws CuzkError REQUEST_INVALID. */
export function parseBytes(name: string, text: string): number {
  const [, number = '', unit = ''] = /^(\d{1,16}(?:\.\d+)?)\s*([a-z]*)$/i.exec(text.trim()) ?? [];
  const bytes = Math.floor(Number(number) * (BYTE_UNITS[unit.toLowerCase()] ?? Number.NaN));
  if (number !== '' && bytes > 0) return bytes;
  throw new CuzkError('REQUEST_INVALID', `${name} is not a number of bytes`, {
    expected: 'bytes, such as 23622320128 or 22GiB',
    found: text.slice(0, 32),
  });
}
