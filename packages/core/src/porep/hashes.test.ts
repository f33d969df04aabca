import { expect, it } from 'vitest';
import { bigintFromBe, toHex } from '../bytes.ts';
import { frToBytes } from '../field/fr.ts';
import { nobleHashes } from './hashes.ts';
import { nodeHashes } from './testing/node-hashes.ts';

it('gives the same digests from noble as from node:crypto', () => {
  for (const length of [0, 1, 55, 56, 64, 127, 128, 129, 1248]) {
    const bytes = Uint8Array.from({ length }, (_, i) => (7 * i + length) & 0xff);
    expect(toHex(nobleHashes.sha256(bytes))).toBe(toHex(nodeHashes.sha256(bytes)));
    expect(toHex(nobleHashes.blake2b512(bytes))).toBe(toHex(nodeHashes.blake2b512(bytes)));
  }
});

it('reads and writes Poseidon values little-endian', () => {
  const digest = nobleHashes.poseidon([frToBytes(0n), frToBytes(1n)]);
  expect(bigintFromBe(digest.slice().reverse())).toBe(
    0x396508d75e76a56b739e0fd902efe161a6fba9339d05a69d2e203c369a02e7ffn,
  );
});
