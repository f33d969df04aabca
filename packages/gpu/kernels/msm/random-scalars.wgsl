// Pseudo-random scalars below 2^254: ChaCha with 8 rounds, 64 bytes of key stream make two scalars.
// @import "../field/grid.wgsl"
@group(0) @binding(0) var<storage, read_write> scalars: array<vec4u>;
struct Params {
  key: array<vec4u, 2>,
  count: u32,        // pairs of scalars
  first: u32,        // number of the first pair: the block counter
}
@group(0) @binding(1) var<uniform> params: Params;

const SIGMA = vec4u(0x61707865u, 0x3320646eu, 0x79622d32u, 0x6b206574u);
const BELOW_2_254 = vec4u(0xffffffffu, 0xffffffffu, 0xffffffffu, 0x3fffffffu);
const DOUBLE_ROUNDS = 4u;

fn rotate(x: vec4u, n: u32) -> vec4u { return (x << vec4u(n)) | (x >> vec4u(32u - n)); }

@compute @workgroup_size(WG)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  let i = linear_id(group, groups, local);
  if (i >= params.count) { return; }
  let counter = vec4u(params.first + i, 0u, 0u, 0u);
  var a = SIGMA;
  var b = params.key[0];
  var c = params.key[1];
  var d = counter;
  // a quarter round on all columns, then on all diagonals: rows turned by 1, 2, 3 and back
  for (var half = 0u; half < 2u * DOUBLE_ROUNDS; half++) {
    a += b; d = rotate(d ^ a, 16u);
    c += d; b = rotate(b ^ c, 12u);
    a += b; d = rotate(d ^ a, 8u);
    c += d; b = rotate(b ^ c, 7u);
    if ((half & 1u) == 0u) {
      b = b.yzwx; c = c.zwxy; d = d.wxyz;
    } else {
      b = b.wxyz; c = c.zwxy; d = d.yzwx;
    }
  }
  scalars[4u * i] = a + SIGMA;
  scalars[4u * i + 1u] = (b + params.key[0]) & BELOW_2_254;
  scalars[4u * i + 2u] = c + params.key[1];
  scalars[4u * i + 3u] = (d + counter) & BELOW_2_254;
}
