// For each scalar one reference per window into the table of multiples; the row after the table is infinity.
// @import "../field/grid.wgsl"
// @import "../msm/signed-digits.wgsl"
@group(0) @binding(0) var<storage, read> scalars: array<vec4u>;
@group(0) @binding(1) var<storage, read_write> list: array<u32>;
struct Params { windows: Windows, count: u32, scalar_start: u32, infinity: u32 }
@group(0) @binding(2) var<uniform> params: Params;

@compute @workgroup_size(WG)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  let i = linear_id(group, groups, local);
  if (i >= params.count) { return; }
  let at = 2u * (params.scalar_start + i);
  let s = fold_scalar(Scalar(scalars[at], scalars[at + 1u]), params.windows);
  for (var window = 0u; window < params.windows.count; window++) {
    let digit = signed_digit(s, window, params.windows);
    let row = bucket_start(window, params.windows) + digit.size - 1u;
    list[i * params.windows.count + window] = select(row | (digit.negate << 28u), params.infinity, digit.size == 0u);
  }
}
