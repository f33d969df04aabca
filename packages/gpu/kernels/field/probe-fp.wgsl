// Probe: out[i] = canonical words of one operation on a[i], b[i] (12 words each). OP selects the operation.
// @import "grid.wgsl"
// @import "fp.wgsl"
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read> b: array<u32>;
@group(0) @binding(2) var<storage, read_write> out: array<u32>;
@group(0) @binding(3) var<uniform> params: vec4u; // x: count

fn load_a(o: u32) -> Fp {
  return fp_unpack(a[o], a[o + 1u], a[o + 2u], a[o + 3u], a[o + 4u], a[o + 5u], a[o + 6u], a[o + 7u], a[o + 8u], a[o + 9u], a[o + 10u], a[o + 11u]);
}
fn load_b(o: u32) -> Fp {
  return fp_unpack(b[o], b[o + 1u], b[o + 2u], b[o + 3u], b[o + 4u], b[o + 5u], b[o + 6u], b[o + 7u], b[o + 8u], b[o + 9u], b[o + 10u], b[o + 11u]);
}

@compute @workgroup_size(WG)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  let i = linear_id(group, groups, local);
  if (i >= params.x) { return; }
  let x = load_a(i * 12u);
  let y = load_b(i * 12u);
  var z: Fp;
  if (OP == 0u) { z = fp_mul(x, fp_norm(y)); }
  else if (OP == 1u) { z = fp_sqr(fp_norm(x)); }
  else if (OP == 2u) { z = fp_norm(fp_add(x, y)); }
  else { z = fp_norm(fp_sub(x, y)); }
  let w = fp_canon(z);
  for (var k = 0u; k < 12u; k++) { out[i * 12u + k] = w[k]; }
}
