// Signed digits without carries: s is folded to min(s, r - s), then half a window is added to every window, so that
// each window's bits minus that half are the digit, in [-2^(c-1), 2^(c-1)).
// The widths of all windows sum to 255: the folded scalar is below 2^254 and the halves below 2^255 - 2^254.
// @import "scalar.wgsl"
struct Windows {
  halves_low: vec4u,   // sum of 2^(offset + c - 1) over all windows
  halves_high: vec4u,
  wide: u32,           // windows 0 … wide - 1 have `bits` bits, the others bits - 1
  bits: u32,
  first: u32,          // windows of this dispatch
  count: u32,
}
struct FoldedScalar { shifted: Scalar, negate: u32 }

fn fold_scalar(s: Scalar, windows: Windows) -> FoldedScalar {
  let opposite = scalar_sub(Scalar(R_LOW, R_HIGH), s).value;
  let negate = scalar_sub(opposite, s).borrow; // r - s < s
  let pick = vec4<bool>(negate == 1u);
  let folded = Scalar(select(s.low, opposite.low, pick), select(s.high, opposite.high, pick));
  return FoldedScalar(scalar_add(folded, Scalar(windows.halves_low, windows.halves_high)), negate);
}
fn window_bits(window: u32, windows: Windows) -> u32 { return windows.bits - u32(window >= windows.wide); }
fn window_offset(window: u32, windows: Windows) -> u32 {
  return window * windows.bits - max(window, windows.wide) + windows.wide;
}
// Buckets of the windows before this one within the dispatch.
fn bucket_start(window: u32, windows: Windows) -> u32 {
  let wide = min(window, windows.wide) - min(windows.first, windows.wide);
  let narrow = window - windows.first - wide;
  return (wide << (windows.bits - 1u)) + (narrow << (windows.bits - 2u));
}
struct Digit { size: u32, negate: u32 }
fn signed_digit(s: FoldedScalar, window: u32, windows: Windows) -> Digit {
  let bits = window_bits(window, windows);
  let offset = window_offset(window, windows);
  let word = offset >> 5u;
  let shift = offset & 31u;
  var value = scalar_word(s.shifted, word) >> shift;
  if (shift + bits > 32u) { value |= scalar_word(s.shifted, word + 1u) << (32u - shift); }
  let half = 1u << (bits - 1u);
  value &= (half << 1u) - 1u;
  let below = u32(value < half);
  return Digit(select(value - half, half - value, below == 1u), s.negate ^ below);
}
