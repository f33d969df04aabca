// out[t] <- canonical words of factor·base^i, where i is the natural index of position start + t: the position itself,
// or its log_n bits reversed. Zero from index `end` on. The low table holds plain values, so that a product
// with the high one is plain too.
// @import "../field/grid.wgsl"
// @import "../ntt/two-level.wgsl"
struct Params { count: u32, start: u32, log_n: u32, low_bits: u32, end: u32, reversed: u32 }
@group(0) @binding(0) var<storage, read_write> out: array<vec4u>;
@group(0) @binding(1) var<storage, read> low_powers: array<vec4u>;
@group(0) @binding(2) var<storage, read> high_powers: array<vec4u>;
@group(0) @binding(3) var<uniform> params: Params;

@compute @workgroup_size(WG)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  let t = linear_id(group, groups, local);
  if (t >= params.count) { return; }
  var i = params.start + t;
  if (params.reversed == 1u) { i = reverseBits(i) >> (32u - params.log_n); }
  if (i >= params.end) {
    out[2u * t] = vec4u(0u);
    out[2u * t + 1u] = vec4u(0u);
    return;
  }
  let w = fr_canon(power(i, params.low_bits));
  out[2u * t] = vec4u(w[0], w[1], w[2], w[3]);
  out[2u * t + 1u] = vec4u(w[4], w[5], w[6], w[7]);
}
