// Scan, step 3 before the first round: list offsets of all groups, in place, and the size of the largest. Where every
// group has one more element than was counted (y = 1), that is arena slot g for group g and comes last.
// @import "group-scan.wgsl"
// @import "pair-reference.wgsl"
@group(0) @binding(0) var<storage, read_write> point_groups: array<vec2u>;
@group(0) @binding(1) var<storage, read> block_sums: array<vec2u>;
@group(0) @binding(2) var<storage, read_write> state: array<atomic<u32>>;
@group(0) @binding(3) var<storage, read_write> list: array<u32>;
@group(0) @binding(4) var<uniform> params: vec4u; // x: groups, y: 0 or 1

@compute @workgroup_size(WG)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  let block = group.y * groups.x + group.x;
  let first = block * GROUPS_PER_BLOCK + local * GROUPS_PER_THREAD;
  var sum = 0u;
  var largest = 0u;
  for (var j = 0u; j < GROUPS_PER_THREAD; j++) {
    if (first + j < params.x) {
      let elements = point_groups[first + j].y + params.y;
      sum += elements;
      largest = max(largest, elements);
    }
  }
  let before = workgroup_scan(local, vec2u(0u, sum));
  if (first >= params.x) { return; }
  var offset = block_sums[block].y + before.y;
  for (var j = 0u; j < GROUPS_PER_THREAD; j++) {
    if (first + j < params.x) {
      let elements = point_groups[first + j].y + params.y;
      point_groups[first + j] = vec2u(offset, elements);
      offset += elements;
      if (params.y == 1u) { list[offset - 1u] = ARENA | (first + j); }
    }
  }
  if (largest > atomicLoad(&state[STATE_LARGEST])) { atomicMax(&state[STATE_LARGEST], largest); }
}
