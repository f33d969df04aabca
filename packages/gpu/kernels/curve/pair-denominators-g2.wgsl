// Pass A of a round over G2 in the split form: case of every pair, norms of the denominators, running products of the norms per thread.
// products: planes 0…2 the product before the pair, planes 3…5 the pair's norm.
// @import "../field/grid.wgsl"
// @import "points-x-g2.wgsl"
@group(0) @binding(0) var<storage, read> base: array<vec4u>;
@group(0) @binding(1) var<storage, read> arena_x: array<vec4u>;
@group(0) @binding(2) var<storage, read_write> pairs: array<vec2u>;
@group(0) @binding(3) var<storage, read_write> products: array<vec4u>;
@group(0) @binding(4) var<storage, read_write> totals: array<vec4u>;
@group(0) @binding(5) var<storage, read_write> state: array<atomic<u32>>;
@group(0) @binding(6) var<storage, read_write> alike: array<u32>;
@group(0) @binding(7) var<uniform> params: PairParams;

fn store_product(first: u32, x: Fp) {
  let row = fp_to_carried_row(x);
  products[first] = row.a;
  products[first + params.product_slots] = row.b;
  products[first + 2u * params.product_slots] = row.c;
}

@compute @workgroup_size(WG)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  let pair_count = atomicLoad(&state[STATE_PAIRS]);
  let threads = thread_count(pair_count, params.per_thread, params.min_threads);
  let id = linear_id(group, groups, local);
  if (id >= threads || pair_count == 0u) { return; }
  var product = fp_unit();
  for (var i = id; i < pair_count; i += threads) {
    let pair = pairs[i];
    let first0 = x_row(pair.x, 0u);
    let first1 = x_row(pair.x, 3u);
    let second0 = x_row(pair.y, 0u);
    let second1 = x_row(pair.y, 3u);
    let same = maybe_congruent(first0.a.x, second0.a.x) && maybe_congruent(first1.a.x, second1.a.x);
    var which = select(CASE_PLAIN, CASE_ALIKE, same);
    which = select(which, CASE_FIRST, row_is_zero(second0) && row_is_zero(second1));
    which = select(which, CASE_SECOND, row_is_zero(first0) && row_is_zero(first1));
    if (which != CASE_PLAIN) {
      pairs[i].y = pair.y | (which << CASE_SHIFT);
      if (which == CASE_ALIKE) { alike[atomicAdd(&state[STATE_ALIKE], 1u)] = i; }
    }
    store_product(i, product);
    let d0 = fp_sub(fp_of_row(second0), fp_of_row(first0));
    let d1 = fp_sub(fp_of_row(second1), fp_of_row(first1));
    let next = fp2_norm_times(Fp2(d0, d1), product, which == CASE_PLAIN, params.unit);
    store_product(i + 3u * params.product_slots, next.norm);
    product = next.product;
  }
  let row = fp_to_row(product);
  totals[id * 3u] = row.a;
  totals[id * 3u + 1u] = row.b;
  totals[id * 3u + 2u] = row.c;
}
