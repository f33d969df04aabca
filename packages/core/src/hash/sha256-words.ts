/**
 * SHA-256 on 32-bit words, and the two hashes of Filecoin that truncate it to a field element. Callers
 * that hash whole byte strings use an injected or noble SHA-256; this one exists for the circuit's block
 * structure, where every intermediate word matters.
 */

export const SHA256_ROUND_CONSTANTS: Uint32Array = Uint32Array.of(
  0x428a2f98,
  0x71374491,
  0xb5c0fbcf,
  0xe9b5dba5,
  0x3956c25b,
  0x59f111f1,
  0x923f82a4,
  0xab1c5ed5,
  0xd807aa98,
  0x12835b01,
  0x243185be,
  0x550c7dc3,
  0x72be5d74,
  0x80deb1fe,
  0x9bdc06a7,
  0xc19bf174,
  0xe49b69c1,
  0xefbe4786,
  0x0fc19dc6,
  0x240ca1cc,
  0x2de92c6f,
  0x4a7484aa,
  0x5cb0a9dc,
  0x76f988da,
  0x983e5152,
  0xa831c66d,
  0xb00327c8,
  0xbf597fc7,
  0xc6e00bf3,
  0xd5a79147,
  0x06ca6351,
  0x14292967,
  0x27b70a85,
  0x2e1b2138,
  0x4d2c6dfc,
  0x53380d13,
  0x650a7354,
  0x766a0abb,
  0x81c2c92e,
  0x92722c85,
  0xa2bfe8a1,
  0xa81a664b,
  0xc24b8b70,
  0xc76c51a3,
  0xd192e819,
  0xd6990624,
  0xf40e3585,
  0x106aa070,
  0x19a4c116,
  0x1e376c08,
  0x2748774c,
  0x34b0bcb5,
  0x391c0cb3,
  0x4ed8aa4a,
  0x5b9cca4f,
  0x682e6ff3,
  0x748f82ee,
  0x78a5636f,
  0x84c87814,
  0x8cc70208,
  0x90befffa,
  0xa4506ceb,
  0xbef9a3f7,
  0xc67178f2,
);

export const SHA256_INITIAL_STATE: Uint32Array = Uint32Array.of(
  0x6a09e667,
  0xbb67ae85,
  0x3c6ef372,
  0xa54ff53a,
  0x510e527f,
  0x9b05688c,
  0x1f83d9ab,
  0x5be0cd19,
);

const rotr = (x: number, n: number): number => (x >>> n) | (x << (32 - n));

/** The four bytes of a word in reverse order, as an unsigned number. */
export const swapBytes = (x: number): number =>
  ((x << 24) | ((x & 0xff00) << 8) | ((x >>> 8) & 0xff00) | (x >>> 24)) >>> 0;

/**
 * One compression: updates `state` (8 words) with the 16 words of `block`, which are the big-endian words
 * of the 64 message bytes.
 */
function sha256Compress(state: Uint32Array, block: Uint32Array): void {
  const w = new Uint32Array(64);
  w.set(block.subarray(0, 16));
  for (let i = 16; i < 64; i++) {
    const s0 = rotr(w[i - 15], 7) ^ rotr(w[i - 15], 18) ^ (w[i - 15] >>> 3);
    const s1 = rotr(w[i - 2], 17) ^ rotr(w[i - 2], 19) ^ (w[i - 2] >>> 10);
    w[i] = w[i - 16] + s0 + w[i - 7] + s1;
  }
  let [a, b, c, d, e, f, g, h] = state;
  for (let i = 0; i < 64; i++) {
    const sum1 = rotr(e, 6) ^ rotr(e, 11) ^ rotr(e, 25);
    const t1 = (h + sum1 + ((e & f) ^ (~e & g)) + SHA256_ROUND_CONSTANTS[i] + w[i]) | 0;
    const sum0 = rotr(a, 2) ^ rotr(a, 13) ^ rotr(a, 22);
    const t2 = (sum0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + t1) | 0;
    d = c;
    c = b;
    b = a;
    a = (t1 + t2) | 0;
  }
  const next = [a, b, c, d, e, f, g, h];
  for (let i = 0; i < 8; i++) state[i] += next[i];
}

/**
 * The message (big-endian words) with SHA-256's padding: a one bit, zeros, the bit length in 64 bits. The
 * result is a multiple of 16 words.
 */
export function padWords(message: Uint32Array): Uint32Array {
  const padded = new Uint32Array(16 * Math.ceil((message.length + 3) / 16));
  padded.set(message);
  padded[message.length] = 0x80000000;
  padded[padded.length - 2] = Math.floor(message.length / 2 ** 27);
  padded[padded.length - 1] = message.length * 32;
  return padded;
}

/** SHA-256 of `message` (big-endian words, so a multiple of 4 bytes); 8 big-endian words. */
export function sha256OfWords(message: Uint32Array): Uint32Array {
  const padded = padWords(message);
  const state = SHA256_INITIAL_STATE.slice();
  for (let at = 0; at < padded.length; at += 16) {
    sha256Compress(state, padded.subarray(at, at + 16));
  }
  return state;
}

/** Clears the top two bits of the last byte: a digest becomes a field element (spec §6.9). */
const truncateDigest = (digest: Uint32Array): Uint32Array => digest.with(7, digest[7] & 0xffffff3f);

const wordsOf = (bytes: Uint8Array): number[] => {
  if (bytes.length !== 32) throw new RangeError(`node: expected 32 bytes, got ${bytes.length}`);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  return Array.from({ length: 8 }, (_, i) => view.getUint32(4 * i));
};

const bytesOf = (words: Uint32Array): Uint8Array => {
  const bytes = new Uint8Array(32);
  const view = new DataView(bytes.buffer);
  for (let i = 0; i < 8; i++) view.setUint32(4 * i, words[i]);
  return bytes;
};

/** Node of the data tree: truncated SHA-256 of the two 32-byte children (spec §7.8). */
export function treeDNode(left: Uint8Array, right: Uint8Array): Uint8Array {
  const message = Uint32Array.of(...wordsOf(left), ...wordsOf(right));
  return bytesOf(truncateDigest(sha256OfWords(message)));
}

/**
 * Label of `node` (below 2^53) in `layer` (from 1), from its parent labels in slot order: 37, or none for
 * node 0 (spec §7.9). 32-byte little-endian field elements throughout.
 */
export function sealLabel(
  replicaId: Uint8Array,
  layer: number,
  node: number,
  parents: readonly Uint8Array[],
): Uint8Array {
  if (parents.length !== 37 && parents.length !== 0) {
    throw new RangeError(`label: expected 37 parents or none, got ${parents.length}`);
  }
  const header = [layer, Math.floor(node / 2 ** 32), node % 2 ** 32, 0, 0, 0, 0, 0];
  const message = Uint32Array.from([...wordsOf(replicaId), ...header, ...parents.flatMap(wordsOf)]);
  return bytesOf(truncateDigest(sha256OfWords(message)));
}

/** The 37 parent slots of a label, from 6 DRG labels and, above layer 1, 8 expander labels (spec §7.2 f). */
export function expandParents<T>(drg: readonly T[], expander: readonly T[]): T[] {
  const parents = [...drg, ...expander];
  return Array.from({ length: 37 }, (_, slot) => parents[slot % parents.length]);
}
