// Writes the reference of every element to its place in its bucket's part of the list, for a range of buckets: a part
// of the list that stays in the cache until its lines are full.
// @import "../field/grid.wgsl"
@group(0) @binding(0) var<storage, read> buckets: array<vec2u>; // x: offset in the list
@group(0) @binding(1) var<storage, read> keys: array<u32>;
@group(0) @binding(2) var<storage, read> ranks: array<u32>;
@group(0) @binding(3) var<storage, read_write> list: array<u32>;
struct Params {
  first: u32,       // entries of this dispatch
  count: u32,
  stride: u32,      // entries per window
  first_bucket: u32,
  buckets: u32,
}
@group(0) @binding(4) var<uniform> params: Params;

@compute @workgroup_size(WG)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  let i = linear_id(group, groups, local);
  if (i >= params.count) { return; }
  let entry = params.first + i;
  let key = keys[entry];
  let bucket = key & 0x7fffffffu; // no bucket has the largest number, which is out of every range
  if (bucket - params.first_bucket >= params.buckets) { return; }
  list[buckets[bucket].x + ranks[entry]] = (entry % params.stride) | ((key >> 31u) << 28u);
}
