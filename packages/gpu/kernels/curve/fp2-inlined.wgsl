// fp2.wgsl with every product inlined: the form for software adapters, where a loop costs more than code size.
// @import "fp2-sums.wgsl"

// a carried, b carried; loose result
fn fp2_mul(a: Fp2, b: Fp2, unit: u32) -> Fp2 {
  let low = fp_mul(a.c0, b.c0);
  let high = fp_mul(a.c1, b.c1);
  let cross = fp_mul(fp_norm(fp_add(a.c0, a.c1)), fp_norm(fp_add(b.c0, b.c1)));
  return Fp2(fp_sub(low, high), fp_sub(fp_sub(cross, low), high));
}

// a carried; loose result
fn fp2_sqr(a: Fp2, unit: u32) -> Fp2 {
  let low = fp_mul(fp_norm(fp_add(a.c0, a.c1)), fp_norm(fp_sub(a.c0, a.c1)));
  let half = fp_mul(a.c0, a.c1);
  return Fp2(low, fp_add(half, half));
}

// k carried; carried result
fn fp2_scale(a: Fp2, k: Fp, unit: u32) -> Fp2 { return Fp2(fp_mul(a.c0, k), fp_mul(a.c1, k)); }

// For loose d its norm d0² + d1², or 1 unless `plain`, and that times a carried product; both carried.
fn fp2_norm_times(d: Fp2, product: Fp, plain: bool, unit: u32) -> NormTimes {
  var norm = fp2_square_norm(d, unit);
  if (!plain) { norm = fp_unit(); }
  return NormTimes(norm, fp_mul(norm, product));
}

// d0² + d1² for loose d, carried
fn fp2_square_norm(d: Fp2, unit: u32) -> Fp {
  return fp_norm(fp_add(fp_sqr(fp_norm(d.c0)), fp_sqr(fp_norm(d.c1))));
}
