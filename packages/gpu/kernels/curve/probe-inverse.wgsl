// Probe: out[i] = canonical words of fp_inverse(a[i]), 12 words each.
// @import "../field/grid.wgsl"
// @import "inverse.wgsl"
@group(0) @binding(0) var<storage, read> a: array<vec4u>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
@group(0) @binding(2) var<uniform> params: vec4u; // x: count

@compute @workgroup_size(WG)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  let i = linear_id(group, groups, local);
  if (i >= params.x) { return; }
  let w = fp_canon(fp_inverse(fp_of_row(FpRow(a[i * 3u], a[i * 3u + 1u], a[i * 3u + 2u]))));
  for (var k = 0u; k < 12u; k++) { out[i * 12u + k] = w[k]; }
}
