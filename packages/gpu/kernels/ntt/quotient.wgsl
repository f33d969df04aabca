// x[p] <- canonical words of x[p]·factor·base^i - c[p]·scale, where i is p bit-reversed; factor is in the low table,
// scale a biased constant in the parameters.
// @import "../field/grid.wgsl"
// @import "two-level.wgsl"
struct Params { count: u32, start: u32, log_n: u32, low_bits: u32, scale_low: vec4u, scale_high: vec4u }
@group(0) @binding(0) var<storage, read_write> x: array<vec4u>;
@group(0) @binding(1) var<storage, read> c: array<vec4u>;
@group(0) @binding(2) var<storage, read> low_powers: array<vec4u>;
@group(0) @binding(3) var<storage, read> high_powers: array<vec4u>;
@group(0) @binding(4) var<uniform> params: Params;

@compute @workgroup_size(WG)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  let p = linear_id(group, groups, local);
  if (p >= params.count) { return; }
  let l = 2u * p;
  let h = l + 1u;
  let s = params.scale_low;
  let t = params.scale_high;
  let coefficient = fr_unpack(c[l].x, c[l].y, c[l].z, c[l].w, c[h].x, c[h].y, c[h].z, c[h].w);
  let scaled = fr_mul(coefficient, fr_unpack_biased(s.x, s.y, s.z, s.w, t.x, t.y, t.z, t.w));
  let product = fr_unpack(x[l].x, x[l].y, x[l].z, x[l].w, x[h].x, x[h].y, x[h].z, x[h].w);
  let unscaled = fr_mul(product, power(reverseBits(params.start + p) >> (32u - params.log_n), params.low_bits));
  let w = fr_canon(fr_sub(unscaled, scaled));
  x[l] = vec4u(w[0], w[1], w[2], w[3]);
  x[h] = vec4u(w[4], w[5], w[6], w[7]);
}
