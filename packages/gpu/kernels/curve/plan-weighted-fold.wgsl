// Plans a round of the weighted sum of buckets: for an array B of 2^h points it yields their sum and, for each bit j,
// the sum of all B[k] with bit j of k set. Each round halves every array; the odd elements of the first array start
// a new one. So after r rounds a window has r + 1 arrays of 2^(h-r) points, and 2·2^h additions do everything.
// Windows come in two classes: `wide` ones with one more bit, whose first round the narrow ones sit out.
// @import "../field/grid.wgsl"
// @import "pair-reference.wgsl"
@group(0) @binding(0) var<storage, read> list_in: array<u32>;
@group(0) @binding(1) var<storage, read_write> list_out: array<u32>;
@group(0) @binding(2) var<storage, read_write> pairs: array<vec2u>;
@group(0) @binding(3) var<storage, read_write> state: array<u32>;
// round: of the wide windows; log_size: of all their arrays before this round, = that of the narrow ones after round 0
struct Params { wide: u32, narrow: u32, round: u32, log_size: u32, out: u32, wide_buckets: u32 }
@group(0) @binding(4) var<uniform> params: Params;

// Element i of array a (0: the sums, j + 1: bit j) before this round. A class enters the first round with its
// buckets themselves, in order, and no list.
fn element(narrow: bool, window: u32, a: u32, i: u32) -> u32 {
  let in_array = (a << params.log_size) + i;
  if (!narrow) {
    if (params.round == 0u) { return (window << params.log_size) + i; }
    return list_in[window * ((params.round + 1u) << params.log_size) + in_array];
  }
  if (params.round == 1u) { return params.wide_buckets + (window << params.log_size) + i; }
  return list_in[params.wide * ((params.round + 1u) << params.log_size) + window * (params.round << params.log_size) + in_array];
}

@compute @workgroup_size(WG)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  let t = linear_id(group, groups, local);
  let log_next = params.log_size - 1u;
  let narrow_windows = select(params.narrow, 0u, params.round == 0u);
  let wide_arrays = params.round + 1u;
  let narrow_arrays = params.round;
  let wide_pairs = (params.wide * wide_arrays) << log_next;
  if (t == 0u) {
    state[STATE_PAIRS] = wide_pairs + ((narrow_windows * narrow_arrays) << log_next);
    state[STATE_OUT] = params.out;
    state[STATE_ALIKE] = 0u;
  }
  let wide_elements = (params.wide * (wide_arrays + 1u)) << log_next;
  if (t >= wide_elements + ((narrow_windows * (narrow_arrays + 1u)) << log_next)) { return; }
  let narrow = t >= wide_elements;
  let u = select(t, t - wide_elements, narrow);
  let arrays = select(wide_arrays, narrow_arrays, narrow);
  let row = u >> log_next;
  let i = u & ((1u << log_next) - 1u);
  let window = row / (arrays + 1u);
  let a = row - window * (arrays + 1u);
  if (a == arrays) {
    list_out[t] = element(narrow, window, 0u, 2u * i + 1u);
    return;
  }
  let pair = select(0u, wide_pairs, narrow) + ((window * arrays + a) << log_next) + i;
  pairs[pair] = vec2u(element(narrow, window, a, 2u * i), element(narrow, window, a, 2u * i + 1u));
  list_out[t] = ARENA | (params.out + pair);
}
