// Digits of a run of scalars in some windows. Counts the elements of every bucket and keeps each element's rank in it.
// SPARSE: scalars of bases at infinity are left out. Needs ROW, the vec4u of a base: 6 (G1) or 12 (G2).
// @import "../field/grid.wgsl"
// @import "signed-digits.wgsl"
@group(0) @binding(0) var<storage, read> scalars: array<vec4u>;
@group(0) @binding(1) var<storage, read> base: array<vec4u>; // SPARSE: the segment's points
@group(0) @binding(2) var<storage, read_write> sizes: array<atomic<u32>>; // of group g: word 2g + 1
@group(0) @binding(3) var<storage, read_write> keys: array<u32>;
@group(0) @binding(4) var<storage, read_write> ranks: array<u32>;
struct Params {
  windows: Windows,
  count: u32,
  scalar_start: u32, // in the binding
  entry_start: u32,  // index of the first scalar's point in its segment
  stride: u32,       // points of the segment: entries per window
}
@group(0) @binding(5) var<uniform> params: Params;

const NO_BUCKET: u32 = 0xffffffffu;

// only infinity has an x of zero: the points with x = 0 on the curves are outside the subgroup
fn is_missing(point: u32) -> bool {
  var bits = vec4u(0u);
  for (var j = 0u; j < ROW / 2u; j++) { bits |= base[point * ROW + j]; }
  return (bits.x | bits.y | bits.z | bits.w) == 0u;
}

@compute @workgroup_size(WG)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  let i = linear_id(group, groups, local);
  if (i >= params.count) { return; }
  let at = 2u * (params.scalar_start + i);
  let missing = SPARSE && is_missing(params.entry_start + i);
  let s = fold_scalar(Scalar(scalars[at], scalars[at + 1u]), params.windows);
  // the check at the end: where it comes first, Mesa runs the body once more with all lanes masked
  var w = 0u;
  loop {
    let window = params.windows.first + w;
    let digit = signed_digit(s, window, params.windows);
    let entry = w * params.stride + params.entry_start + i;
    let counted = !missing && digit.size != 0u;
    let bucket = bucket_start(window, params.windows) + digit.size - 1u;
    keys[entry] = select(NO_BUCKET, bucket | (digit.negate << 31u), counted);
    if (counted) { ranks[entry] = atomicAdd(&sizes[2u * bucket + 1u], 1u); }
    continuing {
      w++;
      break if w == params.windows.count;
    }
  }
}
