// Probe of Fr in digits of base z: out[i] = limbs (or, for 3 and 4, words) of operation OP on the limbs x[i] and y[i].
// 0 mul(x, y)   1 turn(x)   2 norm(red(x))   3 canonical words of x, packed and unpacked first
// 4 canonical words of the words x[i], entered   5 y, packed as a constant and unpacked
// @import "grid.wgsl"
// @import "fr.wgsl"
@group(0) @binding(0) var<storage, read> x: array<u32>;
@group(0) @binding(1) var<storage, read> y: array<u32>;
@group(0) @binding(2) var<storage, read_write> out: array<u32>;
@group(0) @binding(3) var<uniform> params: vec4u; // count

fn load_x(o: u32) -> Fr {
  return Fr(x[o], x[o + 1u], x[o + 2u], x[o + 3u], x[o + 4u], x[o + 5u], x[o + 6u], x[o + 7u], x[o + 8u], x[o + 9u], x[o + 10u], x[o + 11u]);
}

fn load_y(o: u32) -> Fr {
  return Fr(y[o], y[o + 1u], y[o + 2u], y[o + 3u], y[o + 4u], y[o + 5u], y[o + 6u], y[o + 7u], y[o + 8u], y[o + 9u], y[o + 10u], y[o + 11u]);
}

fn limbs(a: Fr) -> array<u32, 12> {
  return array<u32, 12>(a.v0, a.v1, a.v2, a.v3, a.v4, a.v5, a.v6, a.v7, a.v8, a.v9, a.v10, a.v11);
}

fn words(w: array<u32, 8>) -> array<u32, 12> {
  return array<u32, 12>(w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], 0u, 0u, 0u, 0u);
}

fn probe(o: u32) -> array<u32, 12> {
  if (OP == 0u) { return limbs(fr_mul(load_x(o), load_y(o))); }
  if (OP == 1u) { return limbs(fr_turn(load_x(o))); }
  if (OP == 2u) { return limbs(fr_norm(fr_red(load_x(o)))); }
  if (OP == 3u) {
    let w = fr_pack(load_x(o));
    return words(fr_canon(fr_unpack(w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7])));
  }
  if (OP == 4u) {
    return words(fr_canon(fr_enter(x[o], x[o + 1u], x[o + 2u], x[o + 3u], x[o + 4u], x[o + 5u], x[o + 6u], x[o + 7u])));
  }
  let w = fr_pack_biased(load_y(o));
  return limbs(fr_unpack_biased(w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7]));
}

@compute @workgroup_size(WG)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  let i = linear_id(group, groups, local);
  if (i >= params.x) { return; }
  let w = probe(i * 12u);
  for (var k = 0u; k < 12u; k++) { out[i * 12u + k] = w[k]; }
}
