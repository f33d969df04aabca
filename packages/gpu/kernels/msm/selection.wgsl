// Bits that pick points: bit i of the plane, where the density has it (selected), stands for the point
// first_base + (set bits of the density below i); without a density for point i itself.
// Needs the constants WG, WORDS_PER_THREAD. The importing kernel declares plane, density and params.
// @import "../curve/workgroup-scan.wgsl"
struct SelectionParams {
  first_word: u32,  // words of this chunk, and of the whole plane
  words: u32,
  bits: u32,        // bits of the whole plane
  first_base: u32,
  selected: u32,    // 1: there is a density
}
fn picked_bits(word: u32) -> u32 {
  if (word >= params.first_word + params.words) { return 0u; }
  var picked = plane[word];
  if (params.selected == 1u) { picked &= density[word]; }
  let rest = params.bits - word * 32u;
  if (rest < 32u) { picked &= (1u << rest) - 1u; }
  return picked;
}
