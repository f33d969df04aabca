// A pass of a decimation-in-frequency transform over tiles in workgroup memory.
// @import "tile.wgsl"
@compute @workgroup_size(WG)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  let tile = group.y * groups.x + group.x;
  if (tile >= params.tiles) { return; }
  let at = place(tile, local);
  let i = at.index;
  let q0 = LENGTH / 4u;
  var v = Four(load(at, i), load(at, i + q0), load(at, i + 2u * q0), load(at, i + 3u * q0));
  for (var s = 0u; s < params.stages; s++) {
    let quarter = q0 >> (2u * s);
    let j = i & (quarter - 1u);
    let p = (i - j) * 4u + j;
    v = dif4(v);
    if (has_twiddles(quarter)) { v = stage_twiddles(at, v, j, s); }
    if (ODD || s + 1u < params.stages) {
      let next = max(quarter >> 2u, 1u);
      let nj = i & (next - 1u);
      v = exchange(v, slots(at, p, quarter), slots(at, (i - nj) * 4u + nj, next));
    }
  }
  if (ODD) { v = radix2_dif(v); }
  if (!BOUNDARY) {
    store_sum(at, 4u * i, v.a);
    store_sum(at, 4u * i + 1u, v.b);
    store_sum(at, 4u * i + 2u, v.c);
    store_sum(at, 4u * i + 3u, v.d);
    return;
  }
  for (var k = 0u; k < 4u; k++) {
    var a = v.a;
    if (k == 1u) { a = v.b; } else if (k == 2u) { a = v.c; } else if (k == 3u) { a = v.d; }
    store_product(at, 4u * i + k, fr_mul(a, boundary(at, 4u * i + k)));
  }
}
