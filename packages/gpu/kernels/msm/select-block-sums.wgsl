// Points picked per block of words: step 1 of the scan that curve/group-block-offsets.wgsl goes on with.
// @import "selection.wgsl"
@group(0) @binding(0) var<storage, read> plane: array<u32>;
@group(0) @binding(1) var<storage, read> density: array<u32>;
@group(0) @binding(2) var<storage, read_write> block_sums: array<vec2u>;
@group(0) @binding(3) var<uniform> params: SelectionParams;

@compute @workgroup_size(WG)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  let block = group.y * groups.x + group.x;
  let first = block * WG * WORDS_PER_THREAD + local * WORDS_PER_THREAD;
  var picked = 0u;
  for (var j = 0u; j < WORDS_PER_THREAD; j++) { picked += countOneBits(picked_bits(params.first_word + first + j)); }
  let before = workgroup_scan(local, vec2u(0u, picked));
  if (local == WG - 1u && block * WG * WORDS_PER_THREAD < params.words) { block_sums[block] = before + vec2u(0u, picked); }
}
