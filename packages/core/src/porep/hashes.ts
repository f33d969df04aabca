import { blake2b } from '@noble/hashes/blake2.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { poseidonBytes } from '../hash/poseidon-bytes.ts';

/**
 * The hashes that checking a C1 spends its time in. Callers with something faster (node:crypto) pass it in;
 * every implementation must give the same bytes as `nobleHashes`.
 */
export interface Hashes {
  /** 32 bytes. */
  readonly sha256: (bytes: Uint8Array) => Uint8Array;
  /** Unkeyed, 64 bytes. */
  readonly blake2b512: (bytes: Uint8Array) => Uint8Array;
  /** Poseidon of 2, 4, 8 or 11 canonical little-endian Fr (32 bytes each), as one such (spec §6.14). */
  readonly poseidon: (preimage: readonly Uint8Array[]) => Uint8Array;
}

/** JavaScript, and WebAssembly for Poseidon: runs wherever those two do. */
export const nobleHashes: Hashes = {
  sha256: (bytes) => sha256(bytes),
  blake2b512: (bytes) => blake2b(bytes),
  poseidon: poseidonBytes,
};
