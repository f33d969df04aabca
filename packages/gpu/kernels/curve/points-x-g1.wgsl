// Loading x of G1 by reference. The importing kernel declares base, arena_x (vec4u arrays) and params (PairParams).
// base: rows of 6 vec4u (x, y).
// @import "arena-slot.wgsl"
// @import "fp-memory.wgsl"
// @import "pair-reference.wgsl"
fn base_row(reference: u32, first: u32) -> FpRow {
  let o = ((reference & INDEX_MASK) - params.base_start) * 6u + first;
  return FpRow(base[o], base[o + 1u], base[o + 2u]);
}
fn x_row(reference: u32) -> FpRow {
  if ((reference & ARENA) == 0u) { return base_row(reference, 0u); }
  let o = reference & INDEX_MASK;
  return FpRow(arena_x[arena_at(o, 0u)], arena_x[arena_at(o, 1u)], arena_x[arena_at(o, 2u)]);
}
