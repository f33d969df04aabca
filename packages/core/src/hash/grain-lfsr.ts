const STATE_BITS = 80;
const DISCARDED_BITS = 160;
const CHUNK_BITS = 4096;

/**
 * The bit source of Poseidon's round constants: an 80-bit Grain LFSR with the self-shrinking output
 * filter (spec §6.14). Each call of the result gives one filtered bit.
 *
 * `fields` are the parameters that seed the register, as [bit length, value] pairs, most significant
 * bit first, 80 bits in all. Throws RangeError where the lengths do not add up to 80.
 */
export function grainBits(fields: readonly (readonly [number, number])[]): () => number {
  const seed = fields.flatMap(([length, value]) =>
    Array.from({ length }, (_, i) => Math.floor(value / 2 ** (length - 1 - i)) % 2),
  );
  if (seed.length !== STATE_BITS) {
    throw new RangeError(`grain seed: expected ${STATE_BITS} bits, got ${seed.length}`);
  }
  // The register is the window of 80 bits that ends at `end`.
  const bits = new Uint8Array(CHUNK_BITS);
  bits.set(seed);
  let end = STATE_BITS;
  const next = (): number => {
    if (end === CHUNK_BITS) {
      bits.copyWithin(0, CHUNK_BITS - STATE_BITS);
      end = STATE_BITS;
    }
    const s = end - STATE_BITS;
    const bit = bits[s + 62] ^ bits[s + 51] ^ bits[s + 38] ^ bits[s + 23] ^ bits[s + 13] ^ bits[s];
    bits[end++] = bit;
    return bit;
  };
  for (let i = 0; i < DISCARDED_BITS; i++) next();
  return () => {
    while (next() === 0) next();
    return next();
  };
}
