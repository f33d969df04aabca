// Loading points of G2 by reference: points-x-g2.wgsl, and arena_y like arena_x.
// @import "points-x-g2.wgsl"
fn y_row(reference: u32, first: u32) -> FpRow {
  if ((reference & ARENA) == 0u) { return base_row(reference, 6u + first); }
  let o = reference & INDEX_MASK;
  return FpRow(arena_y[arena_at(o, first)], arena_y[arena_at(o, first + 1u)], arena_y[arena_at(o, first + 2u)]);
}
fn y_of(reference: u32) -> Fp2 {
  let mask = sign_mask(reference);
  return Fp2(fp_neg_if(fp_of_row(y_row(reference, 0u)), mask), fp_neg_if(fp_of_row(y_row(reference, 3u)), mask));
}
