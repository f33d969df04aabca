import { createHash } from 'node:crypto';
import { type Hashes, nobleHashes } from '../hashes.ts';

/** SHA-256 and BLAKE2b of node:crypto, as services use them. */
export const nodeHashes: Hashes = {
  ...nobleHashes,
  sha256: (bytes) => createHash('sha256').update(bytes).digest(),
  blake2b512: (bytes) => createHash('blake2b512').update(bytes).digest(),
};
