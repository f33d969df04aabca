// Two outer levels of a transform whose quarters lie in different bindings: element j + start of each quarter.
// Roots come from the two-level table of w of order 2^params.log_n; the block here has 2^params.log_block points.
// @import "../field/grid.wgsl"
// @import "butterfly.wgsl"
// @import "two-level.wgsl"
struct Params {
  count: u32,
  start: u32,
  log_block: u32,
  log_n: u32,
  low_bits: u32,
  inverse: u32,
  // the fourth root of unity of this direction, biased
  i4_low: vec4u,
  i4_high: vec4u,
}
@group(0) @binding(0) var<storage, read_write> x0: array<vec4u>;
@group(0) @binding(1) var<storage, read_write> x1: array<vec4u>;
@group(0) @binding(2) var<storage, read_write> x2: array<vec4u>;
@group(0) @binding(3) var<storage, read_write> x3: array<vec4u>;
@group(0) @binding(4) var<storage, read> low_powers: array<vec4u>;
@group(0) @binding(5) var<storage, read> high_powers: array<vec4u>;
@group(0) @binding(6) var<uniform> params: Params;

// w_block^e or its inverse, for e < 2^log_block
fn root(e: u32) -> Fr {
  let k = e << (params.log_n - params.log_block);
  let n_mask = 0xffffffffu >> (32u - params.log_n);
  return power(select(k, (0u - k) & n_mask, params.inverse != 0u), params.low_bits);
}

fn store_words(a: Fr) -> array<vec4u, 2> {
  let w = fr_pack(a);
  return array<vec4u, 2>(vec4u(w[0], w[1], w[2], w[3]), vec4u(w[4], w[5], w[6], w[7]));
}

// multiplies b, c, d by w^2j, w^j, w^3j: one call site for the table product and one for the twiddle
fn twiddle(y: Four, j: u32) -> Four {
  var v = y;
  for (var k = 0u; k < 3u; k++) {
    var a = v.b;
    var e = 2u * j;
    if (k == 1u) { a = v.c; e = j; } else if (k == 2u) { a = v.d; e = 3u * j; }
    a = fr_mul(a, root(e));
    if (k == 0u) { v.b = a; } else if (k == 1u) { v.c = a; } else { v.d = a; }
  }
  return v;
}

@compute @workgroup_size(WG)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  let p = linear_id(group, groups, local);
  if (p >= params.count) { return; }
  let j = params.start + p;
  let s = params.i4_low;
  let t = params.i4_high;
  let i4 = fr_unpack_biased(s.x, s.y, s.z, s.w, t.x, t.y, t.z, t.w);
  let l = 2u * p;
  let h = l + 1u;
  var v = Four(
    fr_unpack(x0[l].x, x0[l].y, x0[l].z, x0[l].w, x0[h].x, x0[h].y, x0[h].z, x0[h].w),
    fr_unpack(x1[l].x, x1[l].y, x1[l].z, x1[l].w, x1[h].x, x1[h].y, x1[h].z, x1[h].w),
    fr_unpack(x2[l].x, x2[l].y, x2[l].z, x2[l].w, x2[h].x, x2[h].y, x2[h].z, x2[h].w),
    fr_unpack(x3[l].x, x3[l].y, x3[l].z, x3[l].w, x3[h].x, x3[h].y, x3[h].z, x3[h].w),
  );
  if (DIT) { v = four_red(dit4(twiddle(v, j), i4)); } else { v = twiddle(dif4(v, i4), j); }
  let a = store_words(v.a);
  let b = store_words(v.b);
  let c = store_words(v.c);
  let d = store_words(v.d);
  x0[l] = a[0]; x0[h] = a[1];
  x1[l] = b[0]; x1[h] = b[1];
  x2[l] = c[0]; x2[h] = c[1];
  x3[l] = d[0]; x3[h] = d[1];
}
