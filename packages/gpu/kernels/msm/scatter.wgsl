// Writes the reference of every element to its place in its bucket's part of the list.
// @import "../field/grid.wgsl"
@group(0) @binding(0) var<storage, read> buckets: array<vec2u>; // x: offset in the list
@group(0) @binding(1) var<storage, read> keys: array<u32>;
@group(0) @binding(2) var<storage, read> ranks: array<u32>;
@group(0) @binding(3) var<storage, read_write> list: array<u32>;
struct Params { count: u32, stride: u32, point_start: u32 } // entries, entries per window, base index of the segment
@group(0) @binding(4) var<uniform> params: Params;

@compute @workgroup_size(WG)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  let entry = linear_id(group, groups, local);
  if (entry >= params.count) { return; }
  let key = keys[entry];
  if (key == 0xffffffffu) { return; }
  list[buckets[key & 0x7fffffffu].x + ranks[entry]] = (params.point_start + entry % params.stride) | ((key >> 31u) << 28u);
}
