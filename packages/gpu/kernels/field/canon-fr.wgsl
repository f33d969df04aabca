// out[i] = canonical words of the stored element x[start + i].
// @import "grid.wgsl"
// @import "fr.wgsl"
@group(0) @binding(0) var<storage, read> x: array<vec4u>;
@group(0) @binding(1) var<storage, read_write> out: array<vec4u>;
@group(0) @binding(2) var<uniform> params: vec4u; // count, start

@compute @workgroup_size(WG)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  let i = linear_id(group, groups, local);
  if (i >= params.x) { return; }
  let a = x[2u * (params.y + i)];
  let b = x[2u * (params.y + i) + 1u];
  let w = fr_canon(fr_unpack(a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w));
  out[2u * i] = vec4u(w[0], w[1], w[2], w[3]);
  out[2u * i + 1u] = vec4u(w[4], w[5], w[6], w[7]);
}
