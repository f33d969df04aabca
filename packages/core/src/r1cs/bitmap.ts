/** Bitmaps as words: bit i is bit i & 31 of word i >> 5, so their bytes are LSB first too. */

export const bitmapOf = (bits: number): Uint32Array => new Uint32Array((bits + 31) >>> 5);

export const setBit = (bitmap: Uint32Array, bit: number): void => {
  bitmap[bit >>> 5] |= 1 << (bit & 31);
};

export const hasBit = (bitmap: Uint32Array, bit: number): boolean =>
  ((bitmap[bit >>> 5] >>> (bit & 31)) & 1) === 1;

/** Number of set bits of one word. */
export function popCount(word: number): number {
  let pairs = word - ((word >>> 1) & 0x55555555);
  pairs = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((pairs + (pairs >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

export function countBits(bitmap: Uint32Array): number {
  let count = 0;
  for (const word of bitmap) count += popCount(word);
  return count;
}

/** Entry w is the number of set bits in the words before w: the rank table of a bitmap. */
export function ranksOf(bitmap: Uint32Array): Uint32Array {
  const ranks = new Uint32Array(bitmap.length);
  for (let w = 1; w < bitmap.length; w++) ranks[w] = ranks[w - 1] + popCount(bitmap[w - 1]);
  return ranks;
}

/** Number of set bits below `bit`, given the rank table. */
export const rankOf = (bitmap: Uint32Array, ranks: Uint32Array, bit: number): number =>
  ranks[bit >>> 5] + popCount(bitmap[bit >>> 5] & ((1 << (bit & 31)) - 1));

/** Copies `bits` bits of `source` to position `at` of `target`, whose bits there must still be 0. */
export function placeBits(
  target: Uint32Array,
  at: number,
  source: Uint32Array,
  bits: number,
): void {
  const shift = at & 31;
  let word = at >>> 5;
  const words = (bits + 31) >>> 5;
  for (let i = 0; i < words; i++, word++) {
    target[word] |= source[i] << shift;
    const carried = shift === 0 ? 0 : source[i] >>> (32 - shift);
    if (carried !== 0) target[word + 1] |= carried;
  }
}

/** The ceil(bits/8) bytes of a bitmap, bit i in bit i & 7 of byte i >> 3, on any host. */
export function bitmapBytes(bitmap: Uint32Array, bits: number): Uint8Array {
  const bytes = new Uint8Array((bits + 7) >>> 3);
  for (let i = 0; i < bytes.length; i++) bytes[i] = bitmap[i >>> 2] >>> (8 * (i & 3));
  return bytes;
}
