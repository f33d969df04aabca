// Writes a point of G2 to an arena slot. The importing kernel declares arena (read_write) and params.
// @import "fp2.wgsl"
fn store_row(first: u32, row: FpRow) {
  arena[first] = row.a;
  arena[first + params.arena_points] = row.b;
  arena[first + 2u * params.arena_points] = row.c;
}
fn store_point(slot: u32, x: Fp2, y: Fp2) {
  let step = 3u * params.arena_points;
  store_row(slot, fp_to_row(x.c0));
  store_row(slot + step, fp_to_row(x.c1));
  store_row(slot + 2u * step, fp_to_row(y.c0));
  store_row(slot + 3u * step, fp_to_row(y.c1));
}
