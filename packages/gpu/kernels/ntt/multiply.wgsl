// x[p] <- x[p]·y[p]/R, both in the form that the transforms keep.
// @import "../field/grid.wgsl"
// @import "../field/fr.wgsl"
@group(0) @binding(0) var<storage, read_write> x: array<vec4u>;
@group(0) @binding(1) var<storage, read> y: array<vec4u>;
@group(0) @binding(2) var<uniform> params: vec4u; // count

@compute @workgroup_size(WG)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  let p = linear_id(group, groups, local);
  if (p >= params.x) { return; }
  let l = 2u * p;
  let h = l + 1u;
  let a = fr_unpack(x[l].x, x[l].y, x[l].z, x[l].w, x[h].x, x[h].y, x[h].z, x[h].w);
  let b = fr_unpack(y[l].x, y[l].y, y[l].z, y[l].w, y[h].x, y[h].y, y[h].z, y[h].w);
  let w = fr_pack(fr_mul(a, fr_norm(b)));
  x[l] = vec4u(w[0], w[1], w[2], w[3]);
  x[h] = vec4u(w[4], w[5], w[6], w[7]);
}
