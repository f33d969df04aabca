const WORD_BYTES = 4;
const BLOCK_WORDS = 16;
const BLOCK_BYTES = BLOCK_WORDS * WORD_BYTES;
/** "expand 32-byte k" as little-endian words. */
const CONSTANTS = [0x61707865, 0x3320646e, 0x79622d32, 0x6b206574];

function quarterRound(s: Uint32Array, a: number, b: number, c: number, d: number): void {
  s[a] += s[b];
  s[d] = rotateLeft(s[d] ^ s[a], 16);
  s[c] += s[d];
  s[b] = rotateLeft(s[b] ^ s[c], 12);
  s[a] += s[b];
  s[d] = rotateLeft(s[d] ^ s[a], 8);
  s[c] += s[d];
  s[b] = rotateLeft(s[b] ^ s[c], 7);
}

const rotateLeft = (x: number, bits: number): number => (x << bits) | (x >>> (32 - bits));

/**
 * One ChaCha block: 16 output words. `input` is the whole 16-word state (constants, key, counter, nonce);
 * `rounds` is even.
 */
function chachaBlock(input: Uint32Array, rounds: number): Uint32Array {
  const s = input.slice();
  for (let round = 0; round < rounds; round += 2) {
    quarterRound(s, 0, 4, 8, 12);
    quarterRound(s, 1, 5, 9, 13);
    quarterRound(s, 2, 6, 10, 14);
    quarterRound(s, 3, 7, 11, 15);
    quarterRound(s, 0, 5, 10, 15);
    quarterRound(s, 1, 6, 11, 12);
    quarterRound(s, 2, 7, 8, 13);
    quarterRound(s, 3, 4, 9, 14);
  }
  for (let i = 0; i < BLOCK_WORDS; i++) s[i] += input[i];
  return s;
}

/** The 16-word state of a 32-byte key, block counter 0 and up to 16 bytes for the last four words. */
function initialState(key: Uint8Array, tail: Uint8Array): Uint32Array {
  if (key.length !== 32) throw new RangeError(`key: expected 32 bytes, got ${key.length}`);
  const bytes = new Uint8Array(BLOCK_BYTES);
  bytes.set(key, 16);
  bytes.set(tail, 48);
  const view = new DataView(bytes.buffer);
  const state = new Uint32Array(BLOCK_WORDS);
  for (let i = 0; i < BLOCK_WORDS; i++) state[i] = view.getUint32(WORD_BYTES * i, true);
  state.set(CONSTANTS);
  return state;
}

/**
 * ChaCha8 as Rust's rand_chacha seeds it: 64-bit block counter in words 12 and 13, stream 0 (spec §7.7).
 * Returns a function that gives the next output word at each call.
 */
export function chacha8Words(key: Uint8Array): () => number {
  const state = initialState(key, new Uint8Array(0));
  let block = chachaBlock(state, 8);
  let next = 0;
  return () => {
    if (next === BLOCK_WORDS) {
      state[12]++;
      if (state[12] === 0) state[13]++;
      block = chachaBlock(state, 8);
      next = 0;
    }
    return block[next++];
  };
}

/**
 * Random access to a ChaCha20 key stream (RFC 8439: 32-bit counter from 0, 12-byte nonce). Returns a function
 * `(offset, length)` that gives key-stream bytes; offset and length multiples of 4, inside one 64-byte block.
 */
export function chacha20Stream(
  key: Uint8Array,
  nonce: Uint8Array,
): (offset: number, length: number) => Uint8Array {
  if (nonce.length !== 12) throw new RangeError(`nonce: expected 12 bytes, got ${nonce.length}`);
  const state = initialState(key, Uint8Array.of(0, 0, 0, 0, ...nonce));
  return (offset, length) => {
    const start = (offset % BLOCK_BYTES) / WORD_BYTES;
    const words = length / WORD_BYTES;
    if (!Number.isInteger(start) || !Number.isInteger(words) || start + words > BLOCK_WORDS) {
      throw new RangeError('key stream: expected whole words inside one block');
    }
    state[12] = Math.floor(offset / BLOCK_BYTES);
    const block = chachaBlock(state, 20);
    const bytes = new Uint8Array(length);
    const view = new DataView(bytes.buffer);
    for (let i = 0; i < words; i++) view.setUint32(WORD_BYTES * i, block[start + i], true);
    return bytes;
  };
}
