// Fp2 = Fp[u]/(u² + 1) with one multiplier body per operation, in a loop of 3 to 5 turns. `unit` is 1 and comes from a
// uniform, so that no driver unrolls the loop: code size decides here, not the loop. Loops are checked at their end:
// where that comes first, Mesa runs the body once more with all lanes masked.
// @import "fp-memory.wgsl"
struct Fp2 { c0: Fp, c1: Fp }
struct NormTimes { norm: Fp, product: Fp }
struct ScaledAndProduct { scaled: Fp2, product: Fp2 }
struct ScaledAndSquare { scaled: Fp2, square: Fp2 }

fn fp2_add(a: Fp2, b: Fp2) -> Fp2 { return Fp2(fp_add(a.c0, b.c0), fp_add(a.c1, b.c1)); }
fn fp2_sub(a: Fp2, b: Fp2) -> Fp2 { return Fp2(fp_sub(a.c0, b.c0), fp_sub(a.c1, b.c1)); }
fn fp2_norm(a: Fp2) -> Fp2 { return Fp2(fp_norm(a.c0), fp_norm(a.c1)); }
fn fp2_red(a: Fp2) -> Fp2 { return Fp2(fp_red(a.c0), fp_red(a.c1)); }
fn fp2_zero() -> Fp2 { return Fp2(fp_zero(), fp_zero()); }

// a·b, loose, from a0·b0, a1·b1 and (a0 + a1)·(b0 + b1)
fn fp2_of_products(low: Fp, high: Fp, cross: Fp) -> Fp2 {
  return Fp2(fp_sub(low, high), fp_sub(fp_sub(cross, low), high));
}

// a carried, b carried; loose result
fn fp2_mul(a: Fp2, b: Fp2, unit: u32) -> Fp2 {
  let a_sum = fp_norm(fp_add(a.c0, a.c1));
  let b_sum = fp_norm(fp_add(b.c0, b.c1));
  var x = a.c0;
  var y = b.c0;
  var low: Fp;
  var high: Fp;
  var cross: Fp;
  var turn = 0u;
  loop {
    let r = fp_mul(x, y);
    if (turn == 0u) {
      low = r;
      x = a.c1;
      y = b.c1;
    } else if (turn == 1u) {
      high = r;
      x = a_sum;
      y = b_sum;
    } else {
      cross = r;
    }
    continuing {
      turn++;
      break if turn == 3u * unit;
    }
  }
  return fp2_of_products(low, high, cross);
}

// For loose d its norm d0² + d1², or 1 unless `plain`, and that times a carried product; both carried. One body.
fn fp2_norm_times(d: Fp2, product: Fp, plain: bool, unit: u32) -> NormTimes {
  var x = fp_norm(d.c0);
  var y = x;
  var square: Fp;
  var norm: Fp;
  var times: Fp;
  var turn = 0u;
  loop {
    let r = fp_mul(x, y);
    if (turn == 0u) {
      square = r;
      x = fp_norm(d.c1);
      y = x;
    } else if (turn == 1u) {
      norm = fp_norm(fp_add(square, r));
      if (!plain) { norm = fp_unit(); }
      x = norm;
      y = product;
    } else {
      times = r;
    }
    continuing {
      turn++;
      break if turn == 3u * unit;
    }
  }
  return NormTimes(norm, times);
}

// s·k, carried, and a·b, loose; k, a and b are carried. One body.
fn fp2_scale_and_mul(s: Fp2, k: Fp, a: Fp2, b: Fp2, unit: u32) -> ScaledAndProduct {
  let a_sum = fp_norm(fp_add(a.c0, a.c1));
  let b_sum = fp_norm(fp_add(b.c0, b.c1));
  var x = s.c0;
  var y = k;
  var scaled: Fp2;
  var low: Fp;
  var high: Fp;
  var cross: Fp;
  var turn = 0u;
  loop {
    let r = fp_mul(x, y);
    if (turn == 0u) {
      scaled.c0 = r;
      x = s.c1;
    } else if (turn == 1u) {
      scaled.c1 = r;
      x = a.c0;
      y = b.c0;
    } else if (turn == 2u) {
      low = r;
      x = a.c1;
      y = b.c1;
    } else if (turn == 3u) {
      high = r;
      x = a_sum;
      y = b_sum;
    } else {
      cross = r;
    }
    continuing {
      turn++;
      break if turn == 5u * unit;
    }
  }
  return ScaledAndProduct(scaled, fp2_of_products(low, high, cross));
}

// a·k, carried, and its square, loose; k is carried. One body.
fn fp2_scale_and_square(a: Fp2, k: Fp, unit: u32) -> ScaledAndSquare {
  var x = a.c0;
  var y = k;
  var scaled: Fp2;
  var low: Fp;
  var half: Fp;
  var turn = 0u;
  loop {
    let r = fp_mul(x, y);
    if (turn == 0u) {
      scaled.c0 = r;
      x = a.c1;
    } else if (turn == 1u) {
      scaled.c1 = r;
      x = fp_norm(fp_add(scaled.c0, r));
      y = fp_norm(fp_sub(scaled.c0, r));
    } else if (turn == 2u) {
      low = r;
      x = scaled.c0;
      y = scaled.c1;
    } else {
      half = r;
    }
    continuing {
      turn++;
      break if turn == 4u * unit;
    }
  }
  return ScaledAndSquare(scaled, Fp2(low, fp_add(half, half)));
}
