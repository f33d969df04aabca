// Scan, step 2, one workgroup: block sums become block offsets, and the state moves on to the next round.
// @import "group-scan.wgsl"
// @import "pair-reference.wgsl"
@group(0) @binding(0) var<storage, read_write> block_sums: array<vec2u>;
@group(0) @binding(1) var<storage, read_write> state: array<u32>;
// x: blocks, y: 1 before the first round (arena slots are counted from z), else 0
@group(0) @binding(2) var<uniform> params: vec4u;

@compute @workgroup_size(WG)
fn main(@builtin(local_invocation_index) local: u32) {
  let per_thread = (params.x + WG - 1u) / WG;
  let first = local * per_thread;
  let end = min(first + per_thread, params.x);
  var sum = vec2u(0u);
  for (var j = first; j < end; j++) { sum += block_sums[j]; }
  var offset = workgroup_scan(local, sum);
  if (local == WG - 1u) {
    let out = select(state[STATE_NEXT], params.z, params.y == 1u);
    let pairs = offset.x + sum.x;
    state[STATE_PAIRS] = pairs;
    state[STATE_ELEMENTS] = offset.y + sum.y;
    state[STATE_OUT] = out;
    state[STATE_NEXT] = out + pairs;
    state[STATE_ALIKE] = 0u;
    if (params.y == 1u) { state[STATE_LARGEST] = 0u; }
  }
  for (var j = first; j < end; j++) {
    let value = block_sums[j];
    block_sums[j] = offset;
    offset += value;
  }
}
