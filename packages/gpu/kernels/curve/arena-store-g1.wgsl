// Writes a point of G1 to an arena slot. The importing kernel declares arena_x, arena_y (read_write) and params.
// @import "arena-slot.wgsl"
// @import "arena-words.wgsl"
// @import "fp-memory.wgsl"
fn store_x_row(slot: u32, row: FpRow) {
  arena_x[arena_at(slot, 0u)] = arena_words(row.a);
  arena_x[arena_at(slot, 1u)] = arena_words(row.b);
  arena_x[arena_at(slot, 2u)] = arena_words(row.c);
}
fn store_x(slot: u32, x: Fp) { store_x_row(slot, fp_to_row(x)); }
fn store_y(slot: u32, y: Fp) {
  let row = fp_to_row(y);
  arena_y[arena_at(slot, 0u)] = arena_words(row.a);
  arena_y[arena_at(slot, 1u)] = arena_words(row.b);
  arena_y[arena_at(slot, 2u)] = arena_words(row.c);
}
