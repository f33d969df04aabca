// Canonical words of those values whose bit of the density is set, one after the other. Counts the zeros among them, and
// what is not zero among the others: both mean that the density does not tell which values are zero.
// @import "../field/grid.wgsl"
// @import "../field/fr.wgsl"
@group(0) @binding(0) var<storage, read> values: array<vec4u>;
@group(0) @binding(1) var<storage, read> density: array<u32>;
@group(0) @binding(2) var<storage, read> ranks: array<u32>; // set bits before each word
@group(0) @binding(3) var<storage, read_write> out: array<vec4u>;
@group(0) @binding(4) var<storage, read_write> report: array<atomic<u32>>; // zeros, others that are not zero
struct Params { count: u32, first_rank: u32 } // set bits before the first word of this density
@group(0) @binding(5) var<uniform> params: Params;

@compute @workgroup_size(WG)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  let t = linear_id(group, groups, local);
  if (t >= params.count) { return; }
  let a = values[2u * t];
  let b = values[2u * t + 1u];
  let w = fr_canon(fr_unpack(a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w));
  let zero = (w[0] | w[1] | w[2] | w[3] | w[4] | w[5] | w[6] | w[7]) == 0u;
  let word = density[t >> 5u];
  let bit = 1u << (t & 31u);
  if ((word & bit) == 0u) {
    if (!zero) { atomicAdd(&report[1], 1u); }
    return;
  }
  if (zero) { atomicAdd(&report[0], 1u); }
  let o = 2u * (ranks[t >> 5u] - params.first_rank + countOneBits(word & (bit - 1u)));
  out[o] = vec4u(w[0], w[1], w[2], w[3]);
  out[o + 1u] = vec4u(w[4], w[5], w[6], w[7]);
}
