// As group-offsets.wgsl, a block per invocation and no barrier: the form for software adapters.
// @import "../field/grid.wgsl"
// @import "pair-reference.wgsl"
@group(0) @binding(0) var<storage, read_write> point_groups: array<vec2u>;
@group(0) @binding(1) var<storage, read> block_sums: array<vec2u>;
@group(0) @binding(2) var<storage, read_write> state: array<atomic<u32>>;
@group(0) @binding(3) var<storage, read_write> list: array<u32>;
@group(0) @binding(4) var<uniform> params: vec4u; // x: groups, y: 0 or 1

@compute @workgroup_size(WG)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  let block = linear_id(group, groups, local);
  let first = block * GROUPS_PER_THREAD;
  let end = min(first + GROUPS_PER_THREAD, params.x);
  if (first >= end) { return; }
  var offset = block_sums[block].y;
  var largest = 0u;
  for (var g = first; g < end; g++) {
    let elements = point_groups[g].y + params.y;
    point_groups[g] = vec2u(offset, elements);
    offset += elements;
    largest = max(largest, elements);
    if (params.y == 1u) { list[offset - 1u] = ARENA | g; }
  }
  atomicMax(&state[STATE_LARGEST], largest);
}
