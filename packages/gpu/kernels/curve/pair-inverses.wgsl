// Pass B of a round in the split form: goes back through the running products, so that planes 0…2 become the inverse of
// every pair's denominator (G2: of its norm), which is in planes 3…5. All of them are carried elements in biased words.
// @import "../field/grid.wgsl"
// @import "fp-memory.wgsl"
// @import "pair-reference.wgsl"
@group(0) @binding(0) var<storage, read_write> products: array<vec4u>;
@group(0) @binding(1) var<storage, read> totals: array<vec4u>;
@group(0) @binding(2) var<storage, read> state: array<u32>;
@group(0) @binding(3) var<uniform> params: PairParams;

fn product_at(first: u32) -> Fp {
  return fp_of_carried_row(FpRow(products[first], products[first + params.product_slots], products[first + 2u * params.product_slots]));
}

@compute @workgroup_size(WG)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  let pair_count = state[STATE_PAIRS];
  let threads = thread_count(pair_count, params.per_thread, params.min_threads);
  let id = linear_id(group, groups, local);
  if (id >= threads || pair_count == 0u) { return; }
  // inverse of the product of this thread's denominators up to pair i, going down
  var suffix = fp_norm(fp_of_row(FpRow(totals[id * 3u], totals[id * 3u + 1u], totals[id * 3u + 2u])));
  for (var i = id + ((pair_count - 1u - id) / threads) * threads; ; i -= threads) {
    var at = i;
    for (var step = 0u; step < 2u * params.unit; step++) {
      let r = fp_mul(product_at(at), suffix);
      if (step == 0u) {
        let row = fp_to_carried_row(r);
        products[i] = row.a;
        products[i + params.product_slots] = row.b;
        products[i + 2u * params.product_slots] = row.c;
        at = i + 3u * params.product_slots;
      } else {
        suffix = r;
      }
    }
    if (i < threads) { break; }
  }
}
