import { type Bool, FALSE } from './boolean.ts';

/**
 * Pads to whole bytes with FALSE and reverses the bits inside each byte: turns the little-endian bits of a
 * field element into the bit stream of its bytes that SHA-256 reads, and back (spec §6.9). Emits nothing.
 */
export function reverseBitNumbering(bits: readonly Bool[]): Bool[] {
  const padded = [...bits];
  while (padded.length % 8 !== 0) padded.push(FALSE);
  return padded.map((_, i) => padded[i - (i % 8) + 7 - (i % 8)]);
}
