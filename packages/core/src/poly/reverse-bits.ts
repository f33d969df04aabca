/** `index`, below 2^bits, with its bits in reverse order; `bits` at most 31. */
export function reverseBits(index: number, bits: number): number {
  let reversed = 0;
  for (let bit = 0; bit < bits; bit++) reversed = 2 * reversed + ((index >>> bit) & 1);
  return reversed;
}
