// Radix-4 butterflies over Fr. t1, t2, t3 are w^j, w^2j, w^3j: constants, N form. INVERSE: powers of 1/w. Bounds: what each function leaves is what the next one and mul take, see the generated field files.
// @import "../field/fr.wgsl"
struct Four { a: Fr, b: Fr, c: Fr, d: Fr }

// Decimation in frequency without its last multiplications, for stored operands (L or N form):
// a is reduced and carried, the others are operands of mul.
fn dif4(x: Four) -> Four {
  let s02 = fr_add(x.a, x.c);
  let s13 = fr_add(x.b, x.d);
  let d02 = fr_sub(x.a, x.c);
  let d13 = fr_turn(fr_sub(x.b, x.d));
  let a = fr_norm(fr_red(fr_add(s02, s13)));
  let b = fr_operand(fr_sub(s02, s13));
  if (INVERSE) { return Four(a, b, fr_sub(d02, d13), fr_add(d02, d13)); }
  return Four(a, b, fr_add(d02, d13), fr_sub(d02, d13));
}

// Decimation in time after its twiddles: sums, to be made operands again (four_operands) or reduced and stored.
fn dit4(x: Four) -> Four {
  let s01 = fr_add(x.a, x.b);
  let d01 = fr_sub(x.a, x.b);
  let s23 = fr_add(x.c, x.d);
  let d23 = fr_turn(fr_sub(x.c, x.d));
  if (INVERSE) { return Four(fr_add(s01, s23), fr_sub(d01, d23), fr_sub(s01, s23), fr_add(d01, d23)); }
  return Four(fr_add(s01, s23), fr_add(d01, d23), fr_sub(s01, s23), fr_sub(d01, d23));
}

// The twiddles of either, after dif4 or before dit4.
fn twiddle4(x: Four, t1: Fr, t2: Fr, t3: Fr) -> Four {
  return Four(x.a, fr_mul(x.b, t2), fr_mul(x.c, t1), fr_mul(x.d, t3));
}

fn four_operands(y: Four) -> Four {
  return Four(fr_norm(fr_red(y.a)), fr_operand(y.b), fr_operand(y.c), fr_operand(y.d));
}

// The two halves of a level of neighbours whose twiddle is the fourth root, on a coset.
fn turned_difference(a: Fr, b: Fr) -> Fr {
  if (INVERSE) { return fr_turn(fr_sub(b, a)); }
  return fr_turn(fr_sub(a, b));
}

fn turned(a: Fr) -> Fr {
  if (INVERSE) { return fr_neg_if(fr_turn(a), 0xffffffffu); }
  return fr_turn(a);
}
