// Writes a point of G1 to an arena slot. The importing kernel declares arena (read_write) and params.
// @import "fp-memory.wgsl"
fn store_row(first: u32, row: FpRow) {
  arena[first] = row.a;
  arena[first + params.arena_points] = row.b;
  arena[first + 2u * params.arena_points] = row.c;
}
fn store_point(slot: u32, x: Fp, y: Fp) {
  store_row(slot, fp_to_row(x));
  store_row(slot + 3u * params.arena_points, fp_to_row(y));
}
