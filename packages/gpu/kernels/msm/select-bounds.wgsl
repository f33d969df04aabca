// bounds[s]: references below (first + s) · segment_points in an ascending list; the number of references comes from the state.
// @import "../field/grid.wgsl"
// @import "../curve/pair-reference.wgsl"
@group(0) @binding(0) var<storage, read> list: array<u32>;
@group(0) @binding(1) var<storage, read> state: array<u32>;
@group(0) @binding(2) var<storage, read_write> bounds: array<u32>;
@group(0) @binding(3) var<uniform> params: vec4u; // x: bounds, y: log2 of segment_points, z: index of the first bound, w: first

@compute @workgroup_size(WG)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  let s = linear_id(group, groups, local);
  if (s >= params.x) { return; }
  var low = 0u;
  var high = state[STATE_ELEMENTS];
  while (low < high) {
    let middle = (low + high) >> 1u;
    if ((list[middle] >> params.y) < params.w + s) { low = middle + 1u; } else { high = middle; }
  }
  bounds[params.z + s] = low;
}
