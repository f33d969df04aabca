// A power from two tables of biased constants: base^i = low[i mod 2^low_bits]·high[i >> low_bits], a constant in N form.
// The importing kernel binds low_powers and high_powers as array<vec4u>.
// @import "../field/fr.wgsl"
fn low_power(i: u32) -> Fr {
  let a = low_powers[2u * i];
  let b = low_powers[2u * i + 1u];
  return fr_unpack_biased(a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w);
}

fn high_power(i: u32) -> Fr {
  let a = high_powers[2u * i];
  let b = high_powers[2u * i + 1u];
  return fr_unpack_biased(a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w);
}

fn power(i: u32, low_bits: u32) -> Fr {
  return fr_mul(low_power(i & ((1u << low_bits) - 1u)), high_power(i >> low_bits));
}
