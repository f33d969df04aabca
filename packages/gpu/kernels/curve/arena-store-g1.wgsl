// Writes a point of G1 to an arena slot. The importing kernel declares arena_x, arena_y (read_write) and params.
// @import "fp-memory.wgsl"
fn store_x(slot: u32, x: Fp) {
  let row = fp_to_row(x);
  arena_x[slot] = row.a;
  arena_x[slot + params.arena_points] = row.b;
  arena_x[slot + 2u * params.arena_points] = row.c;
}
fn store_y(slot: u32, y: Fp) {
  let row = fp_to_row(y);
  arena_y[slot] = row.a;
  arena_y[slot + params.arena_points] = row.b;
  arena_y[slot + 2u * params.arena_points] = row.c;
}
