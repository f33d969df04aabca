// x[p] <- canonical words of c[p]·c_scale - x[p]·x_scale, both in the form that the transforms keep. The scales are
// biased constants in the parameters.
// @import "../field/grid.wgsl"
// @import "../field/fr.wgsl"
// @import "../field/stored.wgsl"
struct Params { x_scale_low: vec4u, x_scale_high: vec4u, c_scale_low: vec4u, c_scale_high: vec4u, count: u32 }
@group(0) @binding(0) var<storage, read_write> x: array<vec4u>;
@group(0) @binding(1) var<storage, read> c: array<vec4u>;
@group(0) @binding(2) var<uniform> params: Params;

fn scaled(a: vec4u, b: vec4u, s: vec4u, t: vec4u) -> Fr {
  return fr_mul(fr_unpack(a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w), fr_unpack_biased(s.x, s.y, s.z, s.w, t.x, t.y, t.z, t.w));
}

@compute @workgroup_size(WG)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  let p = linear_id(group, groups, local);
  if (p >= params.count) { return; }
  let l = 2u * p;
  let h = l + 1u;
  let w = fr_canon(fr_sub(
    scaled(c[l], c[h], params.c_scale_low, params.c_scale_high),
    scaled(x[l], x[h], params.x_scale_low, params.x_scale_high),
  ));
  x[l] = stored(vec4u(w[0], w[1], w[2], w[3]), params.count == 0u);
  x[h] = stored(vec4u(w[4], w[5], w[6], w[7]), params.count == 0u);
}
