/** 32-bit words of xorshift32, the same in every run with this seed. For inputs of tests and measurements only. */
export function seededWords(seed: number): () => number {
  let state = seed >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state >>> 0;
  };
}

/** The first `count` of them. */
export function seededArray(seed: number, count: number): Uint32Array<ArrayBuffer> {
  const next = seededWords(seed);
  const words = new Uint32Array(count);
  for (let i = 0; i < count; i++) words[i] = next();
  return words;
}
