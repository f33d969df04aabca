// Two outer levels of a transform whose quarters lie in different bindings: element j + start of each quarter.
// Roots come from the two-level table of w of order 2^params.log_order, twice the points of the whole transform; the
// block here has 2^params.log_block points. COSET: twiddles of the coset of a root of order 2n, see tile.wgsl.
// @import "../field/grid.wgsl"
// @import "butterfly.wgsl"
// @import "element.wgsl"
// @import "two-level.wgsl"
struct Params {
  count: u32,
  start: u32,
  log_block: u32,
  log_order: u32,
  low_bits: u32,
}
@group(0) @binding(0) var<storage, read_write> x0: array<vec4u>;
@group(0) @binding(1) var<storage, read_write> x1: array<vec4u>;
@group(0) @binding(2) var<storage, read_write> x2: array<vec4u>;
@group(0) @binding(3) var<storage, read_write> x3: array<vec4u>;
@group(0) @binding(4) var<storage, read> low_powers: array<vec4u>;
@group(0) @binding(5) var<storage, read> high_powers: array<vec4u>;
@group(0) @binding(6) var<uniform> params: Params;

// power e of the root of order 2^(log_block + 1), or its inverse
fn root(e: u32) -> Fr {
  let k = e << (params.log_order - 1u - params.log_block);
  let mask = 0xffffffffu >> (32u - params.log_order);
  return power(select(k, 0u - k, INVERSE) & mask, params.low_bits);
}

fn vectors(w: array<u32, 8>) -> array<vec4u, 2> {
  return array<vec4u, 2>(vec4u(w[0], w[1], w[2], w[3]), vec4u(w[4], w[5], w[6], w[7]));
}

// multiplies b, c, d by w^2j, w^j, w^3j: one call site for the table product and one for the twiddle
fn twiddle(y: Four, j: u32) -> Four {
  let e = 2u * j + select(0u, 1u, COSET);
  var v = y;
  for (var k = 0u; k < 3u; k++) {
    var a = v.b;
    var times = 2u;
    if (k == 1u) { a = v.c; times = 1u; } else if (k == 2u) { a = v.d; times = 3u; }
    a = fr_mul(a, root(times * e));
    if (k == 0u) { v.b = a; } else if (k == 1u) { v.c = a; } else { v.d = a; }
  }
  return v;
}

@compute @workgroup_size(WG)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  let p = linear_id(group, groups, local);
  if (p >= params.count) { return; }
  let j = params.start + p;
  let l = 2u * p;
  let h = l + 1u;
  var v = Four(element(x0[l], x0[h]), element(x1[l], x1[h]), element(x2[l], x2[h]), element(x3[l], x3[h]));
  if (DIT) { v = dit4(twiddle(v, j)); } else { v = twiddle(dif4(v), j); }
  let a = vectors(sum_words(v.a));
  let b = vectors(sum_words(v.b));
  let c = vectors(sum_words(v.c));
  let d = vectors(sum_words(v.d));
  x0[l] = a[0]; x0[h] = a[1];
  x1[l] = b[0]; x1[h] = b[1];
  x2[l] = c[0]; x2[h] = c[1];
  x3[l] = d[0]; x3[h] = d[1];
}
