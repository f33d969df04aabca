// Values of the short rows as elements of a vector; the other rows have no terms here and get zero.
// PRODUCT: a·b, otherwise a (place.matrix 0) or b (1).
// @import "../field/grid.wgsl"
// @import "short-rows.wgsl"
@group(0) @binding(0) var<storage, read_write> out: array<vec4u>;

@compute @workgroup_size(WG)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  let id = linear_id(group, groups, local);
  if (id >= place.count) { return; }
  let instance = place.first_instance + id / place.chunk_rows;
  let i = id % place.chunk_rows;
  let at = place.first_row + instance * place.row_stride + i - place.out_start;
  if (at >= place.out_count) { return; }
  let bit_base = place.bit_base + instance * place.bit_stride;
  var value = row_value(select(place.a_base, place.b_base, !PRODUCT && place.matrix == 1u), i, bit_base);
  if (PRODUCT) { value *= row_value(place.b_base, i, bit_base); }
  let sign = bitcast<u32>(value >> 31u);
  out[2u * at] = vec4u(bitcast<u32>(value), sign, sign, sign);
  out[2u * at + 1u] = vec4u(sign, sign, sign, sign);
}
