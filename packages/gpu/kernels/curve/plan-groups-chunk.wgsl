// As plan-groups.wgsl, a block per invocation and no barrier: the form for software adapters. One loop over output
// elements, as neighbouring invocations run in step and groups differ in size.
// @import "../field/grid.wgsl"
// @import "pair-reference.wgsl"
@group(0) @binding(0) var<storage, read> groups_in: array<vec2u>;
@group(0) @binding(1) var<storage, read_write> groups_out: array<vec2u>;
@group(0) @binding(2) var<storage, read> block_offsets: array<vec2u>;
@group(0) @binding(3) var<storage, read> list_in: array<u32>;
@group(0) @binding(4) var<storage, read_write> list_out: array<u32>;
@group(0) @binding(5) var<storage, read_write> pairs: array<vec2u>;
@group(0) @binding(6) var<storage, read> state: array<u32>;
@group(0) @binding(7) var<uniform> params: vec4u; // x: groups

@compute @workgroup_size(WG)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  let block = linear_id(group, groups, local);
  var g = block * GROUPS_PER_THREAD;
  let end = min(g + GROUPS_PER_THREAD, params.x);
  if (g >= end) { return; }
  let out = state[STATE_OUT];
  var pair = block_offsets[block].x;
  var element = block_offsets[block].y;
  var source = groups_in[g];
  var position = 0u;
  while (g < end) {
    let half = source.y >> 1u;
    let next = source.y - half;
    if (position < next) {
      let a = list_in[source.x + 2u * position];
      if (position < half) {
        pairs[pair] = vec2u(a, list_in[source.x + 2u * position + 1u]);
        list_out[element] = ARENA | (out + pair);
        pair++;
      } else {
        list_out[element] = a;
      }
      element++;
      position++;
    }
    if (position == next) {
      groups_out[g] = vec2u(element - next, next);
      g++;
      position = 0u;
      source = groups_in[min(g, params.x - 1u)];
    }
  }
}
