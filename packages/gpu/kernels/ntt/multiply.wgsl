// x[p] <- x[p]·y[p]/R, both in the form that the transforms keep.
// @import "../field/grid.wgsl"
// @import "../field/fr.wgsl"
// @import "../field/stored.wgsl"
@group(0) @binding(0) var<storage, read_write> x: array<vec4u>;
@group(0) @binding(1) var<storage, read> y: array<vec4u>;
@group(0) @binding(2) var<uniform> params: vec4u; // count

fn element(a: vec4u, b: vec4u) -> Fr { return fr_unpack(a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w); }

@compute @workgroup_size(WG)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  let p = linear_id(group, groups, local);
  if (p >= params.x) { return; }
  let l = 2u * p;
  let h = l + 1u;
  let a = element(x[l], x[h]);
  let b = element(y[l], y[h]);
  let w = fr_pack(fr_mul(a, fr_norm(b)));
  x[l] = stored(vec4u(w[0], w[1], w[2], w[3]), params.x == 0u);
  x[h] = stored(vec4u(w[4], w[5], w[6], w[7]), params.x == 0u);
}
