// Twiddles of the outermost pass of a transform in four quarters, an even number of levels: every stage has its own of
// the whole block, and there are none between the passes. A full table between the passes would take as much memory as
// the vector for each kind of transform; these tables hold half a circle, for all of them.
// evens: w^i, odds: w_2^(2i + 1), for i < B / 2, in two bindings each; w has order B, the points of the block, and w_2
// twice that. Only a coset has odds.
// @import "butterfly.wgsl"
@group(0) @binding(0) var<storage, read> evens0: array<vec4u>;
@group(0) @binding(1) var<storage, read> evens1: array<vec4u>;
@group(0) @binding(2) var<storage, read> odds0: array<vec4u>;
@group(0) @binding(3) var<storage, read> odds1: array<vec4u>;

const BOUNDARY: bool = false;

// Power e < 2 B of w_2, or its inverse.
fn block_root(e: u32) -> Fr {
  let points = 1u << params.log_block;
  let k = select(e, (2u * points - e) & (2u * points - 1u), INVERSE);
  let i = (k & (points - 1u)) >> 1u;
  let p = 2u * (i & (points / 4u - 1u));
  var a: vec4u;
  var b: vec4u;
  if (COSET && (e & 1u) == 1u) {
    if (i >= points / 4u) { a = odds1[p]; b = odds1[p + 1u]; } else { a = odds0[p]; b = odds0[p + 1u]; }
  } else {
    if (i >= points / 4u) { a = evens1[p]; b = evens1[p + 1u]; } else { a = evens0[p]; b = evens0[p + 1u]; }
  }
  return fr_neg_if(constant(a, b), select(0u, 0xffffffffu, k >= points));
}

// The twiddles of butterfly j of stage s: of blocks of B / 4^s points.
fn stage_twiddles(at: Place, v: Four, j: u32, s: u32) -> Four {
  let e = (2u * ((j << at.log_stride) + at.first_column) + SHIFTED) << (2u * s);
  return twiddle4(v, block_root(e), block_root(2u * e), block_root(3u * e));
}

fn has_twiddles(quarter: u32) -> bool { return true; }

fn boundary(at: Place, p: u32) -> Fr { return Fr(); }
