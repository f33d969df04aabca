// Writes a point of G2 to an arena slot. The importing kernel declares arena_x, arena_y (read_write) and params.
// @import "fp2.wgsl"
fn store_x_part(first: u32, x: Fp) {
  let row = fp_to_row(x);
  arena_x[first] = row.a;
  arena_x[first + params.arena_points] = row.b;
  arena_x[first + 2u * params.arena_points] = row.c;
}
fn store_y_part(first: u32, y: Fp) {
  let row = fp_to_row(y);
  arena_y[first] = row.a;
  arena_y[first + params.arena_points] = row.b;
  arena_y[first + 2u * params.arena_points] = row.c;
}
fn store_x(slot: u32, x: Fp2) {
  store_x_part(slot, x.c0);
  store_x_part(slot + 3u * params.arena_points, x.c1);
}
fn store_y(slot: u32, y: Fp2) {
  store_y_part(slot, y.c0);
  store_y_part(slot + 3u * params.arena_points, y.c1);
}
