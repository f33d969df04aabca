// Loading points of G1 by reference: points-x-g1.wgsl, and arena_y like arena_x.
// @import "points-x-g1.wgsl"
fn y_row(reference: u32) -> FpRow {
  if ((reference & ARENA) == 0u) { return base_row(reference, 3u); }
  let o = reference & INDEX_MASK;
  return FpRow(arena_y[arena_at(o, 0u)], arena_y[arena_at(o, 1u)], arena_y[arena_at(o, 2u)]);
}
fn y_of(reference: u32) -> Fp { return fp_neg_if(fp_of_row(y_row(reference)), sign_mask(reference)); }
