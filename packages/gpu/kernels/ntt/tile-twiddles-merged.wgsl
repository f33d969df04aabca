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

// A power of w_2 as it is stored, to be negated by the mask.
struct Root { a: vec4u, b: vec4u, mask: u32 }

// Where power e < 2 B of w_2 (or its inverse) is: its place among those of its kind, and the mask.
fn place_of(e: u32) -> vec2u {
  let points = 1u << params.log_block;
  let k = select(e, (2u * points - e) & (2u * points - 1u), INVERSE);
  return vec2u((k & (points - 1u)) >> 1u, select(0u, 0xffffffffu, k >= points));
}

fn even_root(e: u32) -> Root {
  let half = 1u << (params.log_block - 2u);
  let at = place_of(e);
  let p = 2u * (at.x & (half - 1u));
  var a: vec4u;
  var b: vec4u;
  if (at.x >= half) { a = evens1[p]; b = evens1[p + 1u]; } else { a = evens0[p]; b = evens0[p + 1u]; }
  return Root(a, b, at.y);
}

fn odd_root(e: u32) -> Root {
  let half = 1u << (params.log_block - 2u);
  let at = place_of(e);
  let p = 2u * (at.x & (half - 1u));
  var a: vec4u;
  var b: vec4u;
  if (at.x >= half) { a = odds1[p]; b = odds1[p + 1u]; } else { a = odds0[p]; b = odds0[p + 1u]; }
  return Root(a, b, at.y);
}

fn value(root: Root) -> Fr { return fr_neg_if(constant(root.a, root.b), root.mask); }

// The twiddles of butterfly j of stage s: of blocks of B / 4^s points. Only on a coset and in stage 0 are there odd
// powers: one branch around all loads costs a third of the pass less than one at each.
fn stage_twiddles(at: Place, v: Four, j: u32, s: u32) -> Four {
  let e = (2u * ((j << at.log_stride) + at.first_column) + SHIFTED) << (2u * s);
  var root1: Root;
  let root2 = even_root(2u * e);
  var root3: Root;
  if (COSET && s == 0u) {
    root1 = odd_root(e);
    root3 = odd_root(3u * e);
  } else {
    root1 = even_root(e);
    root3 = even_root(3u * e);
  }
  return twiddle4(v, value(root1), value(root2), value(root3));
}

fn has_twiddles(quarter: u32) -> bool { return true; }

fn boundary(at: Place, p: u32) -> Fr { return Fr(); }
