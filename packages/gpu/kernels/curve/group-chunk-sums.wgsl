// As group-block-sums.wgsl, a block per invocation and no barrier: the form for software adapters.
// Needs the constants WG, GROUPS_PER_THREAD, HALVE.
// @import "../field/grid.wgsl"
// @import "scan-item.wgsl"
@group(0) @binding(0) var<storage, read> point_groups: array<vec2u>;
@group(0) @binding(1) var<storage, read_write> block_sums: array<vec2u>;
@group(0) @binding(2) var<uniform> params: vec4u; // x: groups, y: elements every group has besides those counted

@compute @workgroup_size(WG)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  let block = linear_id(group, groups, local);
  let first = block * GROUPS_PER_THREAD;
  let end = min(first + GROUPS_PER_THREAD, params.x);
  if (first >= end) { return; }
  var sum = vec2u(0u);
  for (var g = first; g < end; g++) { sum += scan_item(point_groups[g].y + params.y); }
  block_sums[block] = sum;
}
