import { CuzkError } from '@cuzk/core/errors';

/** Filecoin's own gateway. */
export const DEFAULT_MIRRORS = 'https://proofs.filecoin.io/ipfs/{cid}';

/** A file that is published under a name and a content id. */
export interface PublishedName {
  readonly name: string;
  readonly cid: string;
}

/**
 * The mirrors in a comma-separated list: addresses with `{name}` or `{cid}` where name or content id of a file belong;
 * an address with neither is a folder of files by name. Throws CuzkError CONFIG_INVALID where one is no HTTP(S)
 * address.
 */
export function parseMirrors(list: string): string[] {
  const mirrors = list
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
  for (const mirror of mirrors) {
    if (/^https?:$/.test(protocolOf(mirror))) continue;
    throw new CuzkError('CONFIG_INVALID', 'a mirror is no HTTP address', {
      expected: 'addresses such as https://host/folder or https://host/ipfs/{cid}',
      found: mirror.slice(0, 200),
    });
  }
  return mirrors;
}

/** Address of a file on a mirror. */
export function mirrorUrl(mirror: string, { name, cid }: PublishedName): string {
  const template = /\{(name|cid)\}/.test(mirror) ? mirror : `${mirror.replace(/\/+$/, '')}/{name}`;
  return template.replaceAll('{name}', name).replaceAll('{cid}', cid);
}

function protocolOf(address: string): string {
  try {
    return new URL(address).protocol;
  } catch {
    return '';
  }
}
