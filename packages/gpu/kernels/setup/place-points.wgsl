// Copies rows of a run of source points (numbers source_first … + source_count − 1, row 0 first) to a run of target
// points (target_first …, row 0 first); whatever falls outside either run is left to another dispatch.
// PLACEMENT 0: by bit reversal, source i goes to target reverse(i) of `log_n` bits; an invocation per source point.
// PLACEMENT 1: expansion, target i is the source numbered first_base + (set bits of the density below i), where the
//              density has i; an invocation per target point.
// PLACEMENT 2: gathering, target i is source indices[i], or infinity; an invocation per target point.
// Needs ROW, the vec4u of a row.
// @import "../field/grid.wgsl"
@group(0) @binding(0) var<storage, read> source: array<vec4u>;
@group(0) @binding(1) var<storage, read> density: array<u32>; // or indices
@group(0) @binding(2) var<storage, read> ranks: array<u32>;
@group(0) @binding(3) var<storage, read_write> rows: array<vec4u>;
struct Params {
  count: u32,        // invocations
  source_first: u32,
  source_count: u32,
  target_first: u32,
  target_count: u32,
  start: u32,        // target point of the first invocation (expansion, gathering)
  detail: u32,       // log_n, or first_base
}
@group(0) @binding(4) var<uniform> params: Params;

const NO_POINT: u32 = 0xffffffffu;

fn source_of(i: u32) -> u32 {
  if (PLACEMENT == 2u) { return density[i]; }
  let word = i >> 5u;
  let bit = 1u << (i & 31u);
  if ((density[word] & bit) == 0u) { return NO_POINT; }
  return params.detail + ranks[word] + countOneBits(density[word] & (bit - 1u));
}

@compute @workgroup_size(WG)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  let t = linear_id(group, groups, local);
  if (t >= params.count) { return; }
  var origin = params.source_first + t;
  var goal = params.start + t;
  if (PLACEMENT == 0u) { goal = reverseBits(origin) >> (32u - params.detail); } else { origin = source_of(goal); }
  let target_row = goal - params.target_first;
  if (target_row >= params.target_count) { return; }
  if (PLACEMENT == 2u && origin == NO_POINT) {
    for (var j = 0u; j < ROW; j++) { rows[target_row * ROW + j] = vec4u(0u); }
    return;
  }
  let source_row = origin - params.source_first;
  if (origin == NO_POINT || source_row >= params.source_count) { return; }
  for (var j = 0u; j < ROW; j++) { rows[target_row * ROW + j] = source[source_row * ROW + j]; }
}
