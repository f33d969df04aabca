// Elements first … first + count − 1 of a vector out of one segment of the same vector in bit-reversed order; those that
// lie in other segments are left to other dispatches. 32 bytes each.
// @import "../field/grid.wgsl"
@group(0) @binding(0) var<storage, read> source: array<vec4u>;
@group(0) @binding(1) var<storage, read_write> natural: array<vec4u>;
struct Params {
  count: u32,
  first: u32,
  log_n: u32,
  source_first: u32, // position of the segment's first element
  source_count: u32,
}
@group(0) @binding(2) var<uniform> params: Params;

@compute @workgroup_size(WG)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  let i = linear_id(group, groups, local);
  if (i >= params.count) { return; }
  let at = (reverseBits(params.first + i) >> (32u - params.log_n)) - params.source_first;
  if (at >= params.source_count) { return; }
  natural[2u * i] = source[2u * at];
  natural[2u * i + 1u] = source[2u * at + 1u];
}
