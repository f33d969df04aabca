// Writes the references of all points picked, in ascending order.
// @import "selection.wgsl"
@group(0) @binding(0) var<storage, read> plane: array<u32>;
@group(0) @binding(1) var<storage, read> density: array<u32>;
@group(0) @binding(2) var<storage, read> ranks: array<u32>;
@group(0) @binding(3) var<storage, read> block_offsets: array<vec2u>;
@group(0) @binding(4) var<storage, read_write> list: array<u32>;
@group(0) @binding(5) var<uniform> params: SelectionParams;

@compute @workgroup_size(WG)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  let block = group.y * groups.x + group.x;
  let first = params.first_word + block * WG * WORDS_PER_THREAD + local * WORDS_PER_THREAD;
  var picked = 0u;
  for (var j = 0u; j < WORDS_PER_THREAD; j++) { picked += countOneBits(picked_bits(first + j)); }
  let before = workgroup_scan(local, vec2u(0u, picked));
  if (block * WG * WORDS_PER_THREAD >= params.words) { return; }
  var at = block_offsets[block].y + before.y;
  for (var j = 0u; j < WORDS_PER_THREAD; j++) {
    let word = first + j;
    var rest = picked_bits(word);
    while (rest != 0u) {
      let bit = countTrailingZeros(rest);
      var index = word * 32u + bit;
      if (params.selected == 1u) { index = params.first_base + ranks[word] + countOneBits(density[word] & ((1u << bit) - 1u)); }
      list[at] = index;
      at++;
      rest &= rest - 1u;
    }
  }
}
