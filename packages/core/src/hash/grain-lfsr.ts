/**
 * The bit source of Poseidon's round constants: an 80-bit Grain LFSR with the self-shrinking output
 * filter (spec §6.14). Each emitted number is one filtered bit.
 *
 * `fields` are the parameters that seed the register, as [bit length, value] pairs, most significant
 * bit first, 80 bits in all. Throws RangeError where the lengths do not add up to 80.
 */
export function* grainBits(fields: readonly (readonly [number, number])[]): Generator<number> {
  const state: number[] = [];
  for (const [length, value] of fields) {
    for (let i = length - 1; i >= 0; i--) state.push(Math.floor(value / 2 ** i) % 2);
  }
  if (state.length !== 80)
    throw new RangeError(`grain seed: expected 80 bits, got ${state.length}`);
  let start = 0;
  const at = (i: number): number => state[(start + i) % 80];
  const next = (): number => {
    const bit = at(62) ^ at(51) ^ at(38) ^ at(23) ^ at(13) ^ at(0);
    state[start] = bit;
    start = (start + 1) % 80;
    return bit;
  };
  for (let i = 0; i < 160; i++) next();
  while (true) {
    const keep = next();
    const bit = next();
    if (keep === 1) yield bit;
  }
}
