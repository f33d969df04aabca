// Values of the long rows. PRODUCT: a·b, otherwise a (place.matrix 0) or b (1).
// @import "../field/grid.wgsl"
// @import "long-rows.wgsl"
@group(0) @binding(0) var<storage, read_write> out: array<vec4u>;

@compute @workgroup_size(WG)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  let id = linear_id(group, groups, local);
  if (id >= place.count) { return; }
  let instance = place.first_instance + id / place.rows;
  let entry = 5u * (id % place.rows);
  let at = place.first_row + instance * place.row_stride + rows[entry] - place.out_start;
  if (at >= place.out_count) { return; }
  var value: Fr;
  if (PRODUCT) {
    var first: Fr;
    for (var m = 0u; m <= 1u; m++) {
      first = value;
      value = combination(rows[entry + 1u + m], rows[entry + 2u + m], instance);
    }
    value = times(first, value);
  } else {
    value = combination(rows[entry + 1u + place.matrix], rows[entry + 2u + place.matrix], instance);
  }
  let w = fr_pack(value);
  out[2u * at] = vec4u(w[0], w[1], w[2], w[3]);
  out[2u * at + 1u] = vec4u(w[4], w[5], w[6], w[7]);
}
