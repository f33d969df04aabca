// The lowest element that is not below r, of plain values in canonical words.
// @import "grid.wgsl"
// @import "../msm/scalar.wgsl"
@group(0) @binding(0) var<storage, read> x: array<vec4u>;
@group(0) @binding(1) var<storage, read_write> lowest: atomic<u32>; // its number; untouched where all are below
@group(0) @binding(2) var<uniform> params: vec4u; // count, number of x[0]

@compute @workgroup_size(WG)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  let i = linear_id(group, groups, local);
  if (i >= params.x) { return; }
  let element = Scalar(x[2u * i], x[2u * i + 1u]);
  if (scalar_sub(element, Scalar(R_LOW, R_HIGH)).borrow == 0u) { atomicMin(&lowest, params.y + i); }
}
