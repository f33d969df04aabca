// As plan-groups.wgsl, a block per invocation and no barrier: the form for software adapters, which sums the block for
// the next round's scan besides. One loop over output elements, as neighbouring invocations run in step and groups
// differ in size. What can be written or read in every turn is: a branch that lanes take by chance costs more.
// @import "../field/grid.wgsl"
// @import "pair-reference.wgsl"
// @import "scan-item.wgsl"
@group(0) @binding(0) var<storage, read> groups_in: array<vec2u>;
@group(0) @binding(1) var<storage, read_write> groups_out: array<vec2u>;
@group(0) @binding(2) var<storage, read_write> blocks: array<vec2u>; // offsets of this round, then sums for the next
@group(0) @binding(3) var<storage, read> list_in: array<u32>;
@group(0) @binding(4) var<storage, read_write> list_out: array<u32>;
@group(0) @binding(5) var<storage, read_write> pairs: array<vec2u>;
@group(0) @binding(6) var<storage, read> state: array<u32>;
@group(0) @binding(7) var<uniform> params: vec4u; // x: groups

@compute @workgroup_size(WG)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  let block = linear_id(group, groups, local);
  var g = block * GROUPS_PER_THREAD;
  let end = min(g + GROUPS_PER_THREAD, params.x);
  if (g >= end) { return; }
  let out = state[STATE_OUT];
  var pair = blocks[block].x;
  var element = blocks[block].y;
  var sum = vec2u(0u);
  var source = groups_in[g];
  var position = 0u;
  // checked at its end, as otherwise Mesa runs a turn more
  loop {
    let half = source.y >> 1u;
    let next = source.y - half;
    // an empty group has no element: few lanes leave this out
    if (position < next) {
      let at = source.x + 2u * position;
      let a = list_in[at];
      let is_pair = position < half;
      if (is_pair) { pairs[pair] = vec2u(a, list_in[at + 1u]); }
      list_out[element] = select(a, ARENA | (out + pair), is_pair);
      pair += u32(is_pair);
      element++;
      position++;
    }
    groups_out[g] = vec2u(element - position, next);
    let ended = position == next;
    sum += select(vec2u(0u), scan_item(next), ended);
    position = select(position, 0u, ended);
    g += u32(ended);
    source = groups_in[min(g, params.x - 1u)];
    continuing { break if g == end; }
  }
  blocks[block] = sum;
}
