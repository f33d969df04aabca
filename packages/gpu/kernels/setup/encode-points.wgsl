// Rows into uncompressed points of a file: the inverse of decode-points.wgsl.
// @import "../field/grid.wgsl"
// @import "../curve/fp-memory.wgsl"
// @import "file-words.wgsl"
@group(0) @binding(0) var<storage, read> rows: array<vec4u>;
@group(0) @binding(1) var<storage, read_write> encoded: array<vec4u>;
struct Params { count: u32, first_row: u32, coordinates: u32 } // 2 (G1), or 4 (G2; a file has c1 first)
@group(0) @binding(2) var<uniform> params: Params;

@compute @workgroup_size(WG)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  let i = linear_id(group, groups, local);
  if (i >= params.count) { return; }
  let row = 3u * params.coordinates;
  let source = (params.first_row + i) * row;
  var infinite = true;
  for (var c = 0u; c < params.coordinates; c++) {
    let at = select(c, c ^ 1u, params.coordinates == 4u);
    let element = FpRow(rows[source + 3u * c], rows[source + 3u * c + 1u], rows[source + 3u * c + 2u]);
    infinite = infinite && row_is_zero(element);
    // the product with 1 takes the Montgomery factor away
    let w = fp_canon(fp_mul(fp_of_row(element), fp_unit()));
    let o = i * row + 3u * at;
    encoded[o] = vec4u(swap_bytes(w[11]), swap_bytes(w[10]), swap_bytes(w[9]), swap_bytes(w[8]));
    encoded[o + 1u] = vec4u(swap_bytes(w[7]), swap_bytes(w[6]), swap_bytes(w[5]), swap_bytes(w[4]));
    encoded[o + 2u] = vec4u(swap_bytes(w[3]), swap_bytes(w[2]), swap_bytes(w[1]), swap_bytes(w[0]));
  }
  if (infinite) { encoded[i * row].x = swap_bytes(INFINITY_FLAG); }
}
