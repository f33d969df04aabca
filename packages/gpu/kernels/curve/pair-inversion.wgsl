// Inverts the totals of pass A in place: each thread multiplies some, inverts the product, and goes back.
// @import "../field/grid.wgsl"
// @import "inverse.wgsl"
// @import "pair-reference.wgsl"
@group(0) @binding(0) var<storage, read_write> totals: array<vec4u>;
@group(0) @binding(1) var<storage, read_write> prefixes: array<vec4u>;
@group(0) @binding(2) var<storage, read> state: array<u32>;
@group(0) @binding(3) var<uniform> params: PairParams;

fn total(i: u32) -> Fp { return fp_of_row(FpRow(totals[i * 3u], totals[i * 3u + 1u], totals[i * 3u + 2u])); }

@compute @workgroup_size(WG)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  let pair_count = state[STATE_PAIRS];
  let count = thread_count(pair_count, params.per_thread, params.min_threads);
  let threads = min(count, params.inversions);
  let id = linear_id(group, groups, local);
  if (id >= threads || pair_count == 0u) { return; }
  var product = fp_unit();
  var last = id;
  for (var i = id; i < count; i += threads) {
    let row = fp_to_row(product);
    prefixes[i * 3u] = row.a;
    prefixes[i * 3u + 1u] = row.b;
    prefixes[i * 3u + 2u] = row.c;
    product = fp_mul(total(i), product);
    last = i;
  }
  product = fp_inverse(product);
  for (var i = last; ; i -= threads) {
    let before = fp_of_row(FpRow(prefixes[i * 3u], prefixes[i * 3u + 1u], prefixes[i * 3u + 2u]));
    let factor = total(i);
    var inverse: Fp;
    var operand = before;
    for (var step = 0u; step < 2u * params.unit; step++) {
      let r = fp_mul(operand, product);
      if (step == 0u) {
        inverse = r;
        operand = factor;
      } else {
        product = r;
      }
    }
    let row = fp_to_row(inverse);
    totals[i * 3u] = row.a;
    totals[i * 3u + 1u] = row.b;
    totals[i * 3u + 2u] = row.c;
    if (i < threads) { break; }
  }
}
