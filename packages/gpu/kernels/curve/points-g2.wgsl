// Loading points of G2 by reference. The importing kernel declares base, arena (vec4u arrays) and params (PairParams).
// base: rows of 12 vec4u (x, y; c0 before c1); arena: 12 planes.
// @import "fp2.wgsl"
// @import "pair-reference.wgsl"
fn coordinate_row(reference: u32, first: u32) -> FpRow {
  let i = reference & INDEX_MASK;
  if ((reference & ARENA) != 0u) {
    let o = i + first * params.arena_points;
    return FpRow(arena[o], arena[o + params.arena_points], arena[o + 2u * params.arena_points]);
  }
  let o = (i - params.base_start) * 12u + first;
  return FpRow(base[o], base[o + 1u], base[o + 2u]);
}
fn fp2_of_rows(c0: FpRow, c1: FpRow) -> Fp2 { return Fp2(fp_of_row(c0), fp_of_row(c1)); }
fn x_of(reference: u32) -> Fp2 { return fp2_of_rows(coordinate_row(reference, 0u), coordinate_row(reference, 3u)); }
fn y_of(reference: u32) -> Fp2 {
  let mask = sign_mask(reference);
  return Fp2(fp_neg_if(fp_of_row(coordinate_row(reference, 6u)), mask), fp_neg_if(fp_of_row(coordinate_row(reference, 9u)), mask));
}
