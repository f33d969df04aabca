// Plans a round that doubles the table of multiples of every window: entry h + i is entry i plus entry h - 1,
// as entry k is k + 1 times the window's base.
// @import "../field/grid.wgsl"
// @import "../curve/pair-reference.wgsl"
@group(0) @binding(0) var<storage, read_write> pairs: array<vec2u>;
@group(0) @binding(1) var<storage, read_write> list: array<u32>; // the sums, window by window
@group(0) @binding(2) var<storage, read_write> state: array<u32>;
struct Params { windows: u32, log_filled: u32, wide: u32, bits: u32 } // 2^log_filled entries of each are there
@group(0) @binding(3) var<uniform> params: Params;

@compute @workgroup_size(WG)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  let t = linear_id(group, groups, local);
  let filled = 1u << params.log_filled;
  if (t == 0u) {
    state[STATE_PAIRS] = params.windows << params.log_filled;
    state[STATE_OUT] = 0u;
    state[STATE_ALIKE] = 0u;
  }
  if (t >= (params.windows << params.log_filled)) { return; }
  let window = t >> params.log_filled;
  let wide = min(window, params.wide);
  let start = (wide << (params.bits - 1u)) + ((window - wide) << (params.bits - 2u));
  pairs[t] = vec2u(start + (t & (filled - 1u)), start + filled - 1u);
  list[t] = ARENA | t;
}
