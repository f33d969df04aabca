// What complete additions (sum-complete.wgsl) need of a coordinate field, here Fp2 of G2. As coordinate-g1.wgsl.
// @import "fp2.wgsl"
alias Coordinate = Fp2;
const COORDINATE_ROWS: u32 = 6u;

fn c_mul(a: Fp2, b: Fp2, unit: u32) -> Fp2 { return fp2_mul(a, b, unit); }
fn c_add(a: Fp2, b: Fp2) -> Fp2 { return fp2_add(a, b); }
fn c_sub(a: Fp2, b: Fp2) -> Fp2 { return fp2_sub(a, b); }
fn c_zero() -> Fp2 { return fp2_zero(); }
fn c_tidy(a: Fp2) -> Fp2 { return fp2_norm(fp2_red(fp2_norm(a))); }
// 3 b x for a tidy x; b is 4 (1 + u)
fn c_times_3b(x: Fp2) -> Fp2 {
  let y = Fp2(fp_sub(x.c0, x.c1), fp_add(x.c0, x.c1));
  let y3 = fp2_add(y, fp2_add(y, y));
  let y6 = fp2_add(y3, y3);
  return fp2_add(y6, y6);
}
fn c_of_fp(x: Fp) -> Fp2 { return Fp2(x, fp_zero()); }
// in memory
fn coordinate_at(i: u32) -> Fp2 { return Fp2(row_at(i), row_at(i + 3u)); }
fn shared_coordinate(i: u32) -> Fp2 { return Fp2(shared_row(i), shared_row(i + 3u)); }
fn share_coordinate(i: u32, x: Fp2) {
  share_row(i, x.c0);
  share_row(i + 3u, x.c1);
}
