// x[p] <- x[p]·factor·base^i, where i is the natural index of position p: p itself, or p bit-reversed (REVERSED).
// The factor is in the low table.
// @import "../field/grid.wgsl"
// @import "two-level.wgsl"
struct Params { count: u32, start: u32, log_n: u32, low_bits: u32 }
@group(0) @binding(0) var<storage, read_write> x: array<vec4u>;
@group(0) @binding(1) var<storage, read> low_powers: array<vec4u>;
@group(0) @binding(2) var<storage, read> high_powers: array<vec4u>;
@group(0) @binding(3) var<uniform> params: Params;

@compute @workgroup_size(WG)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  let p = linear_id(group, groups, local);
  if (p >= params.count) { return; }
  var i = params.start + p;
  if (REVERSED) { i = reverseBits(i) >> (32u - params.log_n); }
  let a = x[2u * p];
  let b = x[2u * p + 1u];
  let w = fr_pack(fr_mul(fr_unpack(a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w), power(i, params.low_bits)));
  x[2u * p] = vec4u(w[0], w[1], w[2], w[3]);
  x[2u * p + 1u] = vec4u(w[4], w[5], w[6], w[7]);
}
