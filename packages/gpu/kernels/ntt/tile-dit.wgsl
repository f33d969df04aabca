// A pass of a decimation-in-time transform over tiles in workgroup memory.
// @import "tile.wgsl"
@compute @workgroup_size(WG)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  let tile = group.y * groups.x + group.x;
  if (tile >= params.tiles) { return; }
  let at = place(tile, local);
  let i = at.index;
  let q0 = LENGTH / 4u;
  var v: Four;
  if (!BOUNDARY) {
    v = Four(load(at, 4u * i), load(at, 4u * i + 1u), load(at, 4u * i + 2u), load(at, 4u * i + 3u));
  } else {
    for (var k = 0u; k < 4u; k++) {
      let a = fr_mul(load(at, 4u * i + k), boundary(at, 4u * i + k));
      if (k == 0u) { v.a = a; } else if (k == 1u) { v.b = a; } else if (k == 2u) { v.c = a; } else { v.d = a; }
    }
  }
  if (ODD) {
    v = radix2_dit(v);
    v = exchange(four_operands(v), slots(at, 4u * i, 1u), slots(at, (i - (i & 1u)) * 4u + (i & 1u), 2u));
  }
  for (var s = params.stages; s > 0u; s--) {
    let quarter = q0 >> (2u * (s - 1u));
    let j = i & (quarter - 1u);
    if (has_twiddles(quarter)) { v = stage_twiddles(at, v, j, s - 1u); }
    v = dit4(v);
    if (s > 1u) {
      let next = quarter << 2u;
      let nj = i & (next - 1u);
      v = exchange(v, slots(at, (i - j) * 4u + j, quarter), slots(at, (i - nj) * 4u + nj, next));
      v = four_operands(v);
    }
  }
  store_sum(at, i, v.a);
  store_sum(at, i + q0, v.b);
  store_sum(at, i + 2u * q0, v.c);
  store_sum(at, i + 3u * q0, v.d);
}
