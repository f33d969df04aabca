// Plans a round over groups of one size, all counts known to the host; writes the state that a scan would write.
// The groups of the first round may lie apart, and be base points in order instead of a list (ordered).
// @import "../field/grid.wgsl"
// @import "pair-reference.wgsl"
@group(0) @binding(0) var<storage, read> list_in: array<u32>;
@group(0) @binding(1) var<storage, read_write> list_out: array<u32>;
@group(0) @binding(2) var<storage, read_write> pairs: array<vec2u>;
@group(0) @binding(3) var<storage, read_write> state: array<u32>;
struct Params { groups: u32, size: u32, list_start: u32, out: u32, stride: u32, ordered: u32 }
@group(0) @binding(4) var<uniform> params: Params;

fn element(i: u32) -> u32 {
  if (params.ordered != 0u) { return i; }
  return list_in[i];
}

@compute @workgroup_size(WG)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  let t = linear_id(group, groups, local);
  let half = params.size >> 1u;
  let next = params.size - half;
  if (t == 0u) {
    state[STATE_PAIRS] = params.groups * half;
    state[STATE_OUT] = params.out;
    state[STATE_ALIKE] = 0u;
  }
  if (t >= params.groups * next) { return; }
  let g = t / next;
  let j = t - g * next;
  let source = params.list_start + g * params.stride + 2u * j;
  if (j < half) {
    let pair = g * half + j;
    pairs[pair] = vec2u(element(source), element(source + 1u));
    list_out[t] = ARENA | (params.out + pair);
  } else {
    list_out[t] = element(source);
  }
}
