// Loading points of G1 by reference. The importing kernel declares base, arena (vec4u arrays) and params (PairParams).
// base: rows of 6 vec4u (x, y); arena: 6 planes, so that neighbouring invocations read neighbouring addresses.
// @import "fp-memory.wgsl"
// @import "pair-reference.wgsl"
fn coordinate_row(reference: u32, first: u32) -> FpRow {
  let i = reference & INDEX_MASK;
  if ((reference & ARENA) != 0u) {
    let o = i + first * params.arena_points;
    return FpRow(arena[o], arena[o + params.arena_points], arena[o + 2u * params.arena_points]);
  }
  let o = (i - params.base_start) * 6u + first;
  return FpRow(base[o], base[o + 1u], base[o + 2u]);
}
fn x_row(reference: u32) -> FpRow { return coordinate_row(reference, 0u); }
fn y_of(reference: u32) -> Fp { return fp_neg_if(fp_of_row(coordinate_row(reference, 3u)), sign_mask(reference)); }
