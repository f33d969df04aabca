// Fp between registers and memory: three vec4u of stored words.
// @import "../field/fp.wgsl"
struct FpRow { a: vec4u, b: vec4u, c: vec4u }

fn fp_of_row(r: FpRow) -> Fp {
  return fp_unpack(r.a.x, r.a.y, r.a.z, r.a.w, r.b.x, r.b.y, r.b.z, r.b.w, r.c.x, r.c.y, r.c.z, r.c.w);
}
fn fp_to_row(x: Fp) -> FpRow { return row_of_words(fp_pack(x)); }
fn row_of_words(w: array<u32, 12>) -> FpRow {
  return FpRow(vec4u(w[0], w[1], w[2], w[3]), vec4u(w[4], w[5], w[6], w[7]), vec4u(w[8], w[9], w[10], w[11]));
}
// The same for carried elements in biased words, which need no carries on the way.
fn fp_of_carried_row(r: FpRow) -> Fp {
  return fp_unpack_carried(r.a.x, r.a.y, r.a.z, r.a.w, r.b.x, r.b.y, r.b.z, r.b.w, r.c.x, r.c.y, r.c.z, r.c.w);
}
fn fp_to_carried_row(x: Fp) -> FpRow { return row_of_words(fp_pack_carried(x)); }
fn row_is_zero(r: FpRow) -> bool {
  let t = r.a | r.b | r.c;
  return (t.x | t.y | t.z | t.w) == 0u;
}
// The plain number 1: a unit that needs no constant of the variant (its Montgomery factors cancel in a batch inversion).
fn fp_unit() -> Fp { return fp_unpack(1u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u); }
