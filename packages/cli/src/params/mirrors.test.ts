import { expect, it } from 'vitest';
import { DEFAULT_MIRRORS, mirrorUrl, parseMirrors } from './mirrors.ts';

const file = { name: 'v28-x.params', cid: 'QmX' };

it.each([
  ['https://host/folder', 'https://host/folder/v28-x.params'],
  ['http://host:8000/', 'http://host:8000/v28-x.params'],
  ['https://host/ipfs/{cid}', 'https://host/ipfs/QmX'],
  ['https://host/get?file={name}&cid={cid}', 'https://host/get?file=v28-x.params&cid=QmX'],
  [DEFAULT_MIRRORS, 'https://proofs.filecoin.io/ipfs/QmX'],
])('on %s a file has the address %s', (mirror, url) => {
  expect(mirrorUrl(mirror, file)).toBe(url);
});

it('reads a list in order, and refuses what is no HTTP address', () => {
  expect(parseMirrors(' https://a/x , http://b,')).toEqual(['https://a/x', 'http://b']);
  expect(parseMirrors('')).toEqual([]);
  for (const bad of ['/srv/params', 'ftp://host/x', 'host']) {
    expect(() => parseMirrors(`https://a, ${bad}`)).toThrow(/CONFIG_INVALID/);
  }
});
