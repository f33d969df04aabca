import { SHA256_INITIAL_STATE } from '../hash/sha256-words.ts';
import type { ConstraintSystem } from '../r1cs/constraint-system.ts';
import { type Bool, FALSE, TRUE } from './boolean.ts';
import { sha256Compress } from './sha256-compression.ts';
import { bitsBeFromWords, constantWord, type UInt32 } from './uint32.ts';

const BLOCK_BITS = 512;
const LENGTH_BITS = 64;

/** The initial chaining value as constants. */
export const initialState = (): UInt32[] => Array.from(SHA256_INITIAL_STATE, constantWord);

/** Appends the constant padding of SHA-256 up to a whole number of blocks. */
function pad(bits: readonly Bool[]): Bool[] {
  const padded = [...bits, TRUE];
  while (padded.length % BLOCK_BITS !== BLOCK_BITS - LENGTH_BITS) padded.push(FALSE);
  const length = BigInt(bits.length);
  for (let i = LENGTH_BITS - 1; i >= 0; i--) {
    padded.push((length >> BigInt(i)) & 1n ? TRUE : FALSE);
  }
  return padded;
}

/**
 * SHA-256 of a bit string (whole bytes, most significant bit first); 256 bits in the same order
 * (spec §6.8). Throws RangeError where the length is no multiple of 8.
 */
export function sha256(cs: ConstraintSystem, bits: readonly Bool[], name: string): Bool[] {
  if (bits.length % 8 !== 0) {
    throw new RangeError(`SHA-256: expected whole bytes, got ${bits.length} bits`);
  }
  cs.enter(name);
  const padded = pad(bits);
  let state = initialState();
  for (let at = 0; at < padded.length; at += BLOCK_BITS) {
    const block = padded.slice(at, at + BLOCK_BITS);
    state = sha256Compress(cs, block, state, 'block ', at / BLOCK_BITS);
  }
  cs.leave();
  return bitsBeFromWords(state);
}
