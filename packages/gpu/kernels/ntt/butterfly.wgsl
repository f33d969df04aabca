// Radix-4 butterflies over Fr. i4 is the fourth root of unity, t1, t2, t3 are w^j, w^2j, w^3j: constants, N form.
// Bounds: products are N form and within r/2 (1 + 2^-10) and a small share, see the generated field file.
// @import "../field/fr.wgsl"
struct Four { a: Fr, b: Fr, c: Fr, d: Fr }

// Decimation in frequency without its last multiplications, for stored operands (L or N form):
// a is reduced and carried, b carried, c and d at most 1.5 digits, which mul takes.
fn dif4(x: Four, i4: Fr) -> Four {
  let s02 = fr_add(x.a, x.c);
  let s13 = fr_add(x.b, x.d);
  let d02 = fr_sub(x.a, x.c);
  let d13 = fr_mul(fr_sub(x.b, x.d), i4);
  return Four(fr_norm(fr_red(fr_add(s02, s13))), fr_norm(fr_sub(s02, s13)), fr_add(d02, d13), fr_sub(d02, d13));
}

// The twiddles of dif4.
fn dif4_twiddle(y: Four, t1: Fr, t2: Fr, t3: Fr) -> Four {
  return Four(y.a, fr_mul(y.b, t2), fr_mul(y.c, t1), fr_mul(y.d, t3));
}

// Decimation in time, first its twiddles.
fn dit4_twiddle(x: Four, t1: Fr, t2: Fr, t3: Fr) -> Four {
  return Four(x.a, fr_mul(x.b, t2), fr_mul(x.c, t1), fr_mul(x.d, t3));
}

// Then its sums: at most 3.5 digits in size, value at most |x.a| + 2 r: carry before the next butterfly, reduce
// before storing.
fn dit4(x: Four, i4: Fr) -> Four {
  let s01 = fr_add(x.a, x.b);
  let d01 = fr_sub(x.a, x.b);
  let s23 = fr_add(x.c, x.d);
  let d23 = fr_mul(fr_sub(x.c, x.d), i4);
  return Four(fr_add(s01, s23), fr_add(d01, d23), fr_sub(s01, s23), fr_sub(d01, d23));
}

fn four_red(y: Four) -> Four {
  return Four(fr_red(y.a), fr_red(y.b), fr_red(y.c), fr_red(y.d));
}

fn four_norm(y: Four) -> Four {
  return Four(fr_norm(y.a), fr_norm(y.b), fr_norm(y.c), fr_norm(y.d));
}
