// Plans a round over groups of any sizes: pairs of neighbours, the next list (a sum, or the odd element itself) and
// the next groups. One block of groups per workgroup; each output element finds its group by binary search.
// @import "group-scan.wgsl"
// @import "pair-reference.wgsl"
@group(0) @binding(0) var<storage, read> groups_in: array<vec2u>;
@group(0) @binding(1) var<storage, read_write> groups_out: array<vec2u>;
@group(0) @binding(2) var<storage, read> block_offsets: array<vec2u>;
@group(0) @binding(3) var<storage, read> list_in: array<u32>;
@group(0) @binding(4) var<storage, read_write> list_out: array<u32>;
@group(0) @binding(5) var<storage, read_write> pairs: array<vec2u>;
@group(0) @binding(6) var<storage, read> state: array<u32>;
@group(0) @binding(7) var<uniform> params: vec4u; // x: groups

// first output element, offset in list_in, first pair, elements before
var<workgroup> cells: array<vec4u, GROUPS_PER_BLOCK>;
var<workgroup> block_end: u32;

@compute @workgroup_size(WG)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  let block = group.y * groups.x + group.x;
  let first = block * GROUPS_PER_BLOCK + local * GROUPS_PER_THREAD;
  var sum = vec2u(0u);
  for (var j = 0u; j < GROUPS_PER_THREAD; j++) {
    if (first + j < params.x) { sum += scan_item(groups_in[first + j].y); }
  }
  let block_start = block_offsets[min(block, arrayLength(&block_offsets) - 1u)];
  var offset = workgroup_scan(local, sum) + block_start;
  for (var j = 0u; j < GROUPS_PER_THREAD; j++) {
    var cell = vec4u(offset.y, 0u, 0u, 0u);
    if (first + j < params.x) {
      let source = groups_in[first + j];
      let item = scan_item(source.y);
      cell = vec4u(offset.y, source.x, offset.x, source.y);
      groups_out[first + j] = vec2u(offset.y, item.y);
      offset += item;
    }
    cells[local * GROUPS_PER_THREAD + j] = cell;
  }
  if (local == WG - 1u) { block_end = offset.y; }
  workgroupBarrier();
  let end = workgroupUniformLoad(&block_end);
  if (block * GROUPS_PER_BLOCK >= params.x) { return; }
  let out = state[STATE_OUT];
  for (var element = block_start.y + local; element < end; element += WG) {
    var low = 0u;
    for (var step = GROUPS_PER_BLOCK >> 1u; step > 0u; step = step >> 1u) {
      if (cells[low + step].x <= element) { low += step; }
    }
    let cell = cells[low];
    let position = element - cell.x;
    let source = cell.y + 2u * position;
    if (position < (cell.w >> 1u)) {
      pairs[cell.z + position] = vec2u(list_in[source], list_in[source + 1u]);
      list_out[element] = ARENA | (out + cell.z + position);
    } else {
      list_out[element] = list_in[source];
    }
  }
}
