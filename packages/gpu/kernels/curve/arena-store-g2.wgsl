// Writes a point of G2 to an arena slot. The importing kernel declares arena_x, arena_y (read_write) and params.
// @import "arena-slot.wgsl"
// @import "arena-words.wgsl"
// @import "fp2.wgsl"
fn store_x_part(slot: u32, part: u32, x: Fp) {
  let row = fp_to_row(x);
  arena_x[arena_at(slot, part)] = arena_words(row.a);
  arena_x[arena_at(slot, part + 1u)] = arena_words(row.b);
  arena_x[arena_at(slot, part + 2u)] = arena_words(row.c);
}
fn store_y_part(slot: u32, part: u32, y: Fp) {
  let row = fp_to_row(y);
  arena_y[arena_at(slot, part)] = arena_words(row.a);
  arena_y[arena_at(slot, part + 1u)] = arena_words(row.b);
  arena_y[arena_at(slot, part + 2u)] = arena_words(row.c);
}
fn store_x(slot: u32, x: Fp2) {
  store_x_part(slot, 0u, x.c0);
  store_x_part(slot, 3u, x.c1);
}
fn store_y(slot: u32, y: Fp2) {
  store_y_part(slot, 0u, y.c0);
  store_y_part(slot, 3u, y.c1);
}
