import { createHash } from 'node:crypto';
import { type Hashes, nobleHashes } from '@cuzk/core/porep/hashes';
import type { IncrementalHash } from '@cuzk/core/r1cs/incremental-hash';

/** SHA-256 by OpenSSL: nine times noble's speed. */
export const sha256 = (bytes: Uint8Array): Uint8Array =>
  createHash('sha256').update(bytes).digest();

/** Incremental BLAKE2s-256 by OpenSSL: twelve times noble's speed, which the R1CS hash needs. */
export const openBlake2s = (): IncrementalHash =>
  createHash('blake2s256') as unknown as IncrementalHash;

/** The hashes of ingest, by OpenSSL where it has them. */
export const nodeHashes: Hashes = {
  sha256,
  blake2b512: (bytes) => createHash('blake2b512').update(bytes).digest(),
  poseidon: nobleHashes.poseidon,
};
