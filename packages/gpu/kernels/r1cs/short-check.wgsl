// Counts the short rows where a·b differs from c: result[0] rows, result[1] the smallest such row.
// @import "../field/grid.wgsl"
// @import "short-rows.wgsl"
@group(0) @binding(0) var<storage, read_write> result: array<atomic<u32>>;

@compute @workgroup_size(WG)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  let id = linear_id(group, groups, local);
  if (id >= place.count) { return; }
  let instance = place.first_instance + id / place.chunk_rows;
  let i = id % place.chunk_rows;
  let bit_base = place.bit_base + instance * place.bit_stride;
  let product = row_value(place.a_base, i, bit_base) * row_value(place.b_base, i, bit_base);
  if (product != row_value(place.c_base, i, bit_base)) {
    atomicAdd(&result[0], 1u);
    atomicMin(&result[1], place.first_row + instance * place.row_stride + i);
  }
}
