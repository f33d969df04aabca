// Scan, step 1: sums per block of groups.
// @import "group-scan.wgsl"
@group(0) @binding(0) var<storage, read> point_groups: array<vec2u>;
@group(0) @binding(1) var<storage, read_write> block_sums: array<vec2u>;
@group(0) @binding(2) var<uniform> params: vec4u; // x: groups, y: elements every group has besides those counted

@compute @workgroup_size(WG)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  let block = group.y * groups.x + group.x;
  let first = block * GROUPS_PER_BLOCK + local * GROUPS_PER_THREAD;
  var sum = vec2u(0u);
  for (var j = 0u; j < GROUPS_PER_THREAD; j++) {
    if (first + j < params.x) { sum += scan_item(point_groups[first + j].y + params.y); }
  }
  let before = workgroup_scan(local, sum);
  if (local == WG - 1u && block * GROUPS_PER_BLOCK < params.x) { block_sums[block] = before + sum; }
}
