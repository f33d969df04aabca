// Counts the long rows where a·b differs from c: result[0] rows, result[1] the smallest such row.
// @import "../field/grid.wgsl"
// @import "long-rows.wgsl"
@group(0) @binding(0) var<storage, read_write> result: array<atomic<u32>>;

@compute @workgroup_size(WG)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  let id = linear_id(group, groups, local);
  if (id >= place.count) { return; }
  let instance = place.first_instance + id / place.rows;
  let entry = 5u * (id % place.rows);
  var a: Fr;
  var b: Fr;
  var c: Fr;
  for (var m = 0u; m < 3u; m++) {
    a = b;
    b = c;
    c = combination(rows[entry + 1u + m], rows[entry + 2u + m], instance);
  }
  if (!fr_is_zero(fr_sub(times(a, b), c))) {
    atomicAdd(&result[0], 1u);
    atomicMin(&result[1], place.first_row + instance * place.row_stride + rows[entry]);
  }
}
