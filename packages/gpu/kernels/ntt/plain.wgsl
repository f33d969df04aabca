// Two levels of a transform straight from and to memory: one invocation per radix-4 butterfly, no loop (a software
// adapter keeps loop variables in memory).
// DIT: false = decimation in frequency (natural to bit-reversed), true = decimation in time (back).
// roots: w^i for i < m/2, biased, where w has order m = 2^params.log_root, the block of the outermost level here.
// @import "../field/grid.wgsl"
// @import "butterfly.wgsl"
struct Params {
  quarter_log: u32,
  log_root: u32,
  inverse: u32,
  count: u32,          // invocations
  // the fourth root of unity of this direction, biased
  i4_low: vec4u,
  i4_high: vec4u,
}
@group(0) @binding(0) var<storage, read_write> x: array<vec4u>;
@group(0) @binding(1) var<storage, read> roots: array<vec4u>;
@group(0) @binding(2) var<uniform> params: Params;

fn load(p: u32) -> Fr {
  let a = x[2u * p];
  let b = x[2u * p + 1u];
  return fr_unpack(a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w);
}

fn store(p: u32, v: Fr) {
  let w = fr_pack(v);
  x[2u * p] = vec4u(w[0], w[1], w[2], w[3]);
  x[2u * p + 1u] = vec4u(w[4], w[5], w[6], w[7]);
}

// w^e or w^-e for e < m; the upper half of the powers is the lower half negated
fn root(e: u32) -> Fr {
  let m = 1u << params.log_root;
  let half = m >> 1u;
  let k = select(e, (m - e) & (m - 1u), params.inverse != 0u);
  let i = k & (half - 1u);
  let a = roots[2u * i];
  let b = roots[2u * i + 1u];
  return fr_neg_if(fr_unpack_biased(a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w), select(0u, 0xffffffffu, k >= half));
}

@compute @workgroup_size(WG)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  let i = linear_id(group, groups, local);
  if (i >= params.count) { return; }
  let quarter = 1u << params.quarter_log;
  let j = i & (quarter - 1u);
  let a = params.i4_low;
  let b = params.i4_high;
  let i4 = fr_unpack_biased(a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w);
  let e = j << (params.log_root - params.quarter_log - 2u);
  let p0 = ((i >> params.quarter_log) << (params.quarter_log + 2u)) + j;
  let p1 = p0 + quarter;
  let p2 = p1 + quarter;
  let p3 = p2 + quarter;
  var v = Four(load(p0), load(p1), load(p2), load(p3));
  if (DIT) {
    if (quarter > 1u) { v = dit4_twiddle(v, root(e), root(2u * e), root(3u * e)); }
    v = four_red(dit4(v, i4));
  } else {
    v = dif4(v, i4);
    if (quarter > 1u) { v = dif4_twiddle(v, root(e), root(2u * e), root(3u * e)); } else { v = four_red(v); }
  }
  store(p0, v.a);
  store(p1, v.b);
  store(p2, v.c);
  store(p3, v.d);
}
