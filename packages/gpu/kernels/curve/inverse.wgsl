// Inverse of one element in Montgomery form. Needs the constants E0 … E27 (14-bit limbs of R^2 mod p).
// @import "fp-memory.wgsl"
// @import "../generated/fp-inverse.wgsl"
fn fp_inverse(x: Fp) -> Fp {
  let w = fp_inverse_words(fp_pack(fp_red(x)));
  return fp_norm(fp_red(fp_unpack(w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], w[8], w[9], w[10], w[11])));
}
