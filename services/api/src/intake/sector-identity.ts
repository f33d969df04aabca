import { CuzkError } from '@cuzk/core/errors';
import { parseMinerAddress } from '@cuzk/core/porep/replica-id';

export interface SectorIdentity {
  /** Actor id, decimal. */
  readonly minerId: string;
  /** Decimal, below 2^64. */
  readonly sectorNumber: string;
}

/** The places a miner or sector may be named in: query, header, body. */
export type Named = Readonly<Record<'query' | 'header' | 'body', string | undefined>>;

const SECTOR_LIMIT = 2n ** 64n;

/** A miner as ID address (`f01000`, `t01000`) or bare actor id. Throws REQUEST_INVALID. */
export function parseMiner(text: string, pointer = '/miner'): string {
  const address = /^(0|[1-9][0-9]*)$/.test(text) ? `f0${text}` : text;
  return parseMinerAddress(address, pointer).toString();
}

/** A sector number in decimal, below 2^64. Throws REQUEST_INVALID. */
export function parseSector(text: string, pointer = '/sector'): string {
  if (/^[0-9]{1,20}$/.test(text) && BigInt(text) < SECTOR_LIMIT) return BigInt(text).toString();
  throw new CuzkError('REQUEST_INVALID', 'the sector number cannot be used', {
    expected: 'a decimal number below 2^64',
    found: text.slice(0, 32),
    pointer,
  });
}

/** The one value named, in whichever place. Throws REQUEST_INVALID where there is none, or two that differ. */
export function chooseNamed(what: 'miner' | 'sector', named: Named): string {
  const parse = what === 'miner' ? parseMiner : parseSector;
  const given = (['query', 'header', 'body'] as const).flatMap((place) => {
    const text = named[place];
    return text === undefined || text === '' ? [] : [{ place, value: parse(text, `/${what}`) }];
  });
  const [first, ...others] = given;
  if (!first) {
    const member = what === 'miner' ? 'Miner' : 'SectorNum';
    throw new CuzkError('REQUEST_INVALID', `the ${what} is not named`, {
      expected: `?${what}=…, the header x-cuzk-${what}, or the member ${member} of the wrapper`,
      found: 'none of them',
      pointer: `/${what}`,
    });
  }
  const other = others.find(({ value }) => value !== first.value);
  if (!other) return first.value;
  throw new CuzkError('REQUEST_INVALID', `the ${what} is named twice and differs`, {
    expected: `${first.value}, as in the ${first.place}`,
    found: `${other.value}, in the ${other.place}`,
    pointer: `/${what}`,
  });
}
