// Multiplier rate: every thread multiplies a value `params.x` times, each product needing the one before.
// @import "grid.wgsl"
// @import "fr.wgsl"
@group(0) @binding(0) var<storage, read_write> values: array<u32>; // 8 words a thread
@group(0) @binding(1) var<uniform> params: vec4u; // x: steps

@compute @workgroup_size(WG)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  let o = linear_id(group, groups, local) * 8u;
  var a = fr_norm(fr_unpack(
    values[o], values[o + 1u], values[o + 2u], values[o + 3u],
    values[o + 4u], values[o + 5u], values[o + 6u], values[o + 7u],
  ));
  let b = a;
  for (var i = 0u; i < params.x; i++) { a = fr_mul(a, b); }
  let w = fr_pack(a);
  for (var k = 0u; k < 8u; k++) { values[o + k] = w[k]; }
}
