// Probe of f32 arithmetic: for triples (x, y, z) the bits of x + y, x·y, fma(x, y, z) and f32 of an integer's bits.
// @import "grid.wgsl"
@group(0) @binding(0) var<storage, read> triples: array<vec4f>;
@group(0) @binding(1) var<storage, read_write> out: array<vec4u>;
@group(0) @binding(2) var<uniform> params: vec4u; // count

@compute @workgroup_size(WG)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  let i = linear_id(group, groups, local);
  if (i >= params.x) { return; }
  let t = triples[i];
  out[i] = vec4u(
    bitcast<u32>(t.x + t.y),
    bitcast<u32>(t.x * t.y),
    bitcast<u32>(fma(t.x, t.y, t.z)),
    bitcast<u32>(f32(bitcast<i32>(t.w))),
  );
}
