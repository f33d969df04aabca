// A pass of a decimation-in-time transform over tiles in workgroup memory. SCALED (inner pass only): element i of the
// coefficients, in bit-reversed order here, is first multiplied by power i of a two-level table.
// @import "tile.wgsl"
fn input_factor(at: Place, p: u32) -> Fr {
  if (SCALED) { return power(reverseBits(params.start + at.base + p) >> (32u - params.log_n), params.low_bits); }
  return boundary(at, p);
}

@compute @workgroup_size(WG)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  let at = place(group.y * groups.x + group.x, local);
  let i = at.index;
  let i4 = tile_root(LENGTH / 4u);
  let q0 = LENGTH / 4u;
  var v: Four;
  if (INNER && !SCALED) {
    v = Four(load(at, 4u * i), load(at, 4u * i + 1u), load(at, 4u * i + 2u), load(at, 4u * i + 3u));
  } else {
    for (var k = 0u; k < 4u; k++) {
      let a = fr_mul(load(at, 4u * i + k), input_factor(at, 4u * i + k));
      if (k == 0u) { v.a = a; } else if (k == 1u) { v.b = a; } else if (k == 2u) { v.c = a; } else { v.d = a; }
    }
  }
  if (ODD) {
    v = four_norm(radix2(v));
    v = exchange(v, slots(at, 4u * i, 1u), slots(at, (i - (i & 1u)) * 4u + (i & 1u), 2u));
  }
  for (var s = params.stages; s > 0u; s--) {
    let quarter = q0 >> (2u * (s - 1u));
    let j = i & (quarter - 1u);
    if (quarter > 1u) {
      let e = j << (2u * (s - 1u));
      v = dit4_twiddle(v, tile_root(e), tile_root(2u * e), tile_root(3u * e));
    }
    v = dit4(v, i4);
    if (s > 1u) {
      let next = quarter << 2u;
      let nj = i & (next - 1u);
      v = exchange(four_norm(v), slots(at, (i - j) * 4u + j, quarter), slots(at, (i - nj) * 4u + nj, next));
    }
  }
  v = four_red(v);
  store(at, i, v.a);
  store(at, i + q0, v.b);
  store(at, i + 2u * q0, v.c);
  store(at, i + 3u * q0, v.d);
}
