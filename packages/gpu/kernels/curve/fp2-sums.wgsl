// Fp2 = Fp[u]/(u² + 1): what needs no multiplier.
// @import "fp-memory.wgsl"
struct Fp2 { c0: Fp, c1: Fp }
struct NormTimes { norm: Fp, product: Fp }

fn fp2_add(a: Fp2, b: Fp2) -> Fp2 { return Fp2(fp_add(a.c0, b.c0), fp_add(a.c1, b.c1)); }
fn fp2_sub(a: Fp2, b: Fp2) -> Fp2 { return Fp2(fp_sub(a.c0, b.c0), fp_sub(a.c1, b.c1)); }
fn fp2_norm(a: Fp2) -> Fp2 { return Fp2(fp_norm(a.c0), fp_norm(a.c1)); }
fn fp2_red(a: Fp2) -> Fp2 { return Fp2(fp_red(a.c0), fp_red(a.c1)); }
fn fp2_zero() -> Fp2 { return Fp2(fp_zero(), fp_zero()); }
