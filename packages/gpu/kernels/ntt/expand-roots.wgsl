// Fills a table of biased constants with powers of w, of order 2^params.log_order, or of its inverse.
// BOUNDARY false: out[i] = w^((((start + i) << params.levels) + params.shifted) << params.shift).
// BOUNDARY true: the twiddles between two passes, in access order: position k·2^log_stride + j of a block, k
// bit-reversed in params.levels bits, gets w^((rev(k)·(2j + params.shifted)) << params.shift).
// @import "../field/grid.wgsl"
// @import "two-level.wgsl"
struct Params {
  count: u32,
  shift: u32,
  log_order: u32,
  low_bits: u32,
  inverse: u32,
  log_stride: u32,
  levels: u32,
  shifted: u32,
  start: u32,
}
@group(0) @binding(0) var<storage, read_write> out: array<vec4u>;
@group(0) @binding(1) var<storage, read> low_powers: array<vec4u>;
@group(0) @binding(2) var<storage, read> high_powers: array<vec4u>;
@group(0) @binding(3) var<uniform> params: Params;

@compute @workgroup_size(WG)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  let i = linear_id(group, groups, local);
  if (i >= params.count) { return; }
  var e = ((params.start + i) << params.levels) + params.shifted;
  if (BOUNDARY) {
    let k = reverseBits(i >> params.log_stride) >> (32u - params.levels);
    e = k * (2u * (i & ((1u << params.log_stride) - 1u)) + params.shifted);
  }
  e = e << params.shift;
  let mask = 0xffffffffu >> (32u - params.log_order);
  let w = fr_pack_biased(power(select(e, 0u - e, params.inverse != 0u) & mask, params.low_bits));
  out[2u * i] = vec4u(w[0], w[1], w[2], w[3]);
  out[2u * i + 1u] = vec4u(w[4], w[5], w[6], w[7]);
}
