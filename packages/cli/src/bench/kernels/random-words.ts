/** 32-bit words of xorshift128; the seed makes a run repeatable. */
export function createWords(seed: number): () => number {
  let [x, y, z, w] = [seed | 0 || 1, 0x6c078965, 0x1f123bb5, 0x159a55e5];
  return () => {
    const t = x ^ (x << 11);
    x = y;
    y = z;
    z = w;
    w = w ^ (w >>> 19) ^ t ^ (t >>> 8);
    return w >>> 0;
  };
}
