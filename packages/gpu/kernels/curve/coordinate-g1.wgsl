// What complete additions (sum-complete.wgsl) need of a coordinate field, here Fp of G1. Sums are loose, products and
// what `tidy` gives are carried and within p.
// @import "fp-memory.wgsl"
alias Coordinate = Fp;
const COORDINATE_ROWS: u32 = 3u;

fn c_mul(a: Fp, b: Fp, unit: u32) -> Fp { return fp_mul(a, b); }
fn c_add(a: Fp, b: Fp) -> Fp { return fp_add(a, b); }
fn c_sub(a: Fp, b: Fp) -> Fp { return fp_sub(a, b); }
fn c_zero() -> Fp { return fp_zero(); }
fn c_tidy(a: Fp) -> Fp { return fp_norm(fp_red(fp_norm(a))); }
// 3 b x for a tidy x; b is 4
fn c_times_3b(x: Fp) -> Fp {
  let x3 = fp_add(x, fp_add(x, x));
  let x6 = fp_add(x3, x3);
  return fp_add(x6, x6);
}
fn c_of_fp(x: Fp) -> Fp { return x; }
// in memory
fn coordinate_at(i: u32) -> Fp { return row_at(i); }
fn shared_coordinate(i: u32) -> Fp { return shared_row(i); }
fn share_coordinate(i: u32, x: Fp) { share_row(i, x); }
