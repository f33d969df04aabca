// Canonical scalars: 8 little-endian words below r.
struct Scalar { low: vec4u, high: vec4u }
const R_LOW = vec4u(0x00000001u, 0xffffffffu, 0xfffe5bfeu, 0x53bda402u);
const R_HIGH = vec4u(0x09a1d805u, 0x3339d808u, 0x299d7d48u, 0x73eda753u);

fn scalar_word(s: Scalar, i: u32) -> u32 { return select(s.high[i & 3u], s.low[i & 3u], i < 4u); }

// a - b with the borrow that came in; x: difference, y: borrow out
fn sub_borrow(a: u32, b: u32, borrow: u32) -> vec2u {
  let d = a - b;
  return vec2u(d - borrow, u32(d > a) | u32(d < borrow));
}
fn add_carry(a: u32, b: u32, carry: u32) -> vec2u {
  let s = a + b;
  let t = s + carry;
  return vec2u(t, u32(s < a) | u32(t < s));
}
struct Difference { value: Scalar, borrow: u32 }
fn scalar_sub(a: Scalar, b: Scalar) -> Difference {
  let d0 = sub_borrow(a.low.x, b.low.x, 0u);
  let d1 = sub_borrow(a.low.y, b.low.y, d0.y);
  let d2 = sub_borrow(a.low.z, b.low.z, d1.y);
  let d3 = sub_borrow(a.low.w, b.low.w, d2.y);
  let d4 = sub_borrow(a.high.x, b.high.x, d3.y);
  let d5 = sub_borrow(a.high.y, b.high.y, d4.y);
  let d6 = sub_borrow(a.high.z, b.high.z, d5.y);
  let d7 = sub_borrow(a.high.w, b.high.w, d6.y);
  return Difference(Scalar(vec4u(d0.x, d1.x, d2.x, d3.x), vec4u(d4.x, d5.x, d6.x, d7.x)), d7.y);
}
fn scalar_add(a: Scalar, b: Scalar) -> Scalar {
  let s0 = add_carry(a.low.x, b.low.x, 0u);
  let s1 = add_carry(a.low.y, b.low.y, s0.y);
  let s2 = add_carry(a.low.z, b.low.z, s1.y);
  let s3 = add_carry(a.low.w, b.low.w, s2.y);
  let s4 = add_carry(a.high.x, b.high.x, s3.y);
  let s5 = add_carry(a.high.y, b.high.y, s4.y);
  let s6 = add_carry(a.high.z, b.high.z, s5.y);
  let s7 = add_carry(a.high.w, b.high.w, s6.y);
  return Scalar(vec4u(s0.x, s1.x, s2.x, s3.x), vec4u(s4.x, s5.x, s6.x, s7.x));
}
