// u[t] <- canonical words of u[t]·factor_u + v[t]·factor_v + w[t]·factor_w; the factors are biased constants. Zeros
// are counted, and the smallest number of one is kept.
// @import "../field/grid.wgsl"
// @import "../field/fr.wgsl"
@group(0) @binding(0) var<storage, read_write> u: array<vec4u>;
@group(0) @binding(1) var<storage, read> v: array<vec4u>;
@group(0) @binding(2) var<storage, read> w: array<vec4u>;
@group(0) @binding(3) var<storage, read_write> report: array<atomic<u32>>; // zeros, number of the first
struct Params {
  factors: array<vec4u, 6>, // of u, v, w
  count: u32,
  first: u32, // number of element 0
}
@group(0) @binding(4) var<uniform> params: Params;

fn element(m: u32, t: u32) -> Fr {
  var a = u[2u * t];
  var b = u[2u * t + 1u];
  if (m == 1u) {
    a = v[2u * t];
    b = v[2u * t + 1u];
  } else if (m == 2u) {
    a = w[2u * t];
    b = w[2u * t + 1u];
  }
  return fr_unpack(a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w);
}

@compute @workgroup_size(WG)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  let t = linear_id(group, groups, local);
  if (t >= params.count) { return; }
  var sum = fr_zero();
  for (var m = 0u; m < 3u; m++) {
    let a = params.factors[2u * m];
    let b = params.factors[2u * m + 1u];
    sum = fr_add(sum, fr_mul(element(m, t), fr_unpack_biased(a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w)));
  }
  let x = fr_canon(sum);
  if ((x[0] | x[1] | x[2] | x[3] | x[4] | x[5] | x[6] | x[7]) == 0u) {
    atomicAdd(&report[0], 1u);
    atomicMin(&report[1], params.first + t);
  }
  u[2u * t] = vec4u(x[0], x[1], x[2], x[3]);
  u[2u * t + 1u] = vec4u(x[4], x[5], x[6], x[7]);
}
