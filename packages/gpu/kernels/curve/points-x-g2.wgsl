// Loading x of G2 by reference. The importing kernel declares base, arena_x (vec4u arrays) and params (PairParams).
// base: rows of 12 vec4u (x, y; c0 before c1).
// @import "arena-slot.wgsl"
// @import "fp2.wgsl"
// @import "pair-reference.wgsl"
fn base_row(reference: u32, first: u32) -> FpRow {
  let o = ((reference & INDEX_MASK) - params.base_start) * 12u + first;
  return FpRow(base[o], base[o + 1u], base[o + 2u]);
}
// first: 0 for c0, 3 for c1
fn x_row(reference: u32, first: u32) -> FpRow {
  if ((reference & ARENA) == 0u) { return base_row(reference, first); }
  let o = reference & INDEX_MASK;
  return FpRow(arena_x[arena_at(o, first)], arena_x[arena_at(o, first + 1u)], arena_x[arena_at(o, first + 2u)]);
}
fn x_of(reference: u32) -> Fp2 { return Fp2(fp_of_row(x_row(reference, 0u)), fp_of_row(x_row(reference, 3u))); }
