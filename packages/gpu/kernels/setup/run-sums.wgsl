// For every run (first element, elements, target): adds the sum of these elements of `values` to element target of the
// whole, of which `out` holds the elements target_first … + target_count - 1. No two runs have one target.
// @import "../field/grid.wgsl"
// @import "../field/fr.wgsl"
@group(0) @binding(0) var<storage, read> values: array<vec4u>;
@group(0) @binding(1) var<storage, read> runs: array<u32>;
@group(0) @binding(2) var<storage, read_write> out: array<vec4u>;
struct Params { count: u32, target_first: u32, target_count: u32 }
@group(0) @binding(3) var<uniform> params: Params;

// As in item-sums.wgsl.
const REDUCE_EVERY_MASK: u32 = 31u;

fn reduced(a: Fr) -> Fr { return fr_norm(fr_red(fr_norm(a))); }

@compute @workgroup_size(WG)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  let t = linear_id(group, groups, local);
  if (t >= params.count) { return; }
  let place = runs[3u * t + 2u] - params.target_first;
  if (place >= params.target_count) { return; }
  let first = runs[3u * t];
  let count = runs[3u * t + 1u];
  let o = 2u * place;
  var sum = fr_unpack(out[o].x, out[o].y, out[o].z, out[o].w, out[o + 1u].x, out[o + 1u].y, out[o + 1u].z, out[o + 1u].w);
  for (var k = 0u; k < count; k++) {
    let a = values[2u * (first + k)];
    let b = values[2u * (first + k) + 1u];
    sum = fr_add(sum, fr_unpack(a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w));
    if ((k & REDUCE_EVERY_MASK) == REDUCE_EVERY_MASK) { sum = reduced(sum); }
  }
  let w = fr_pack(reduced(sum));
  out[o] = vec4u(w[0], w[1], w[2], w[3]);
  out[o + 1u] = vec4u(w[4], w[5], w[6], w[7]);
}
