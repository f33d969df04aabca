/**
 * Words of `count` elements below 2^(32·wordsEach − 16), the same in every run: for work whose time no value changes.
 */
export function anyElements(count: number, wordsEach: number): Uint32Array<ArrayBuffer> {
  const words = new Uint32Array(count * wordsEach);
  // not Uint32Array.from: some millions of them are part of a start
  for (let i = 0; i < words.length; i++) words[i] = Math.imul(i + 1, 0x9e3779b1);
  for (let i = wordsEach - 1; i < words.length; i += wordsEach) words[i] &= 0xffff;
  return words;
}
