// The innermost level of a transform of 2^odd points: neighbours, no twiddle, the same in both directions and orders.
// @import "../field/grid.wgsl"
// @import "../field/fr.wgsl"
@group(0) @binding(0) var<storage, read_write> x: array<vec4u>;
@group(0) @binding(1) var<uniform> params: vec4u; // pairs

fn load(p: u32) -> Fr {
  let a = x[2u * p];
  let b = x[2u * p + 1u];
  return fr_unpack(a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w);
}

fn store(p: u32, v: Fr) {
  let w = fr_pack(fr_red(v));
  x[2u * p] = vec4u(w[0], w[1], w[2], w[3]);
  x[2u * p + 1u] = vec4u(w[4], w[5], w[6], w[7]);
}

@compute @workgroup_size(WG)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  let i = linear_id(group, groups, local);
  if (i >= params.x) { return; }
  let a = load(2u * i);
  let b = load(2u * i + 1u);
  store(2u * i, fr_add(a, b));
  store(2u * i + 1u, fr_sub(a, b));
}
