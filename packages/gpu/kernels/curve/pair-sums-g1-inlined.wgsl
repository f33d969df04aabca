// Pass B of a round, five multiplier bodies: the form for software adapters.
// @import "../field/grid.wgsl"
// @import "points-g1.wgsl"
// @import "arena-store-g1.wgsl"
@group(0) @binding(0) var<storage, read> base: array<vec4u>;
@group(0) @binding(1) var<storage, read_write> arena_x: array<vec4u>;
@group(0) @binding(2) var<storage, read_write> arena_y: array<vec4u>;
@group(0) @binding(3) var<storage, read> pairs: array<vec2u>;
@group(0) @binding(4) var<storage, read> products: array<vec4u>;
@group(0) @binding(5) var<storage, read> totals: array<vec4u>;
@group(0) @binding(6) var<storage, read> state: array<u32>;
@group(0) @binding(7) var<uniform> params: PairParams;

@compute @workgroup_size(WG)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  let pair_count = state[STATE_PAIRS];
  let threads = thread_count(pair_count, params.per_thread, params.min_threads);
  let id = linear_id(group, groups, local);
  if (id >= threads || pair_count == 0u) { return; }
  let out = state[STATE_OUT];
  // inverse of the product of this thread's denominators up to pair i, going down
  var suffix = fp_norm(fp_of_row(FpRow(totals[id * 3u], totals[id * 3u + 1u], totals[id * 3u + 2u])));
  for (var i = id + ((pair_count - 1u - id) / threads) * threads; ; i -= threads) {
    let pair = pairs[i];
    let which = pair.y >> CASE_SHIFT;
    let first = pair.x;
    let second = pair.y & REFERENCE_MASK;
    let x1 = fp_of_row(x_row(first));
    let x2 = fp_of_row(x_row(second));
    let y1 = y_of(first);
    let y2 = y_of(second);
    let before = fp_of_row(FpRow(products[i], products[i + params.product_slots], products[i + 2u * params.product_slots]));
    var denominator = fp_sub(x2, x1);
    if (which != CASE_PLAIN) { denominator = fp_unit(); }
    let inverse = fp_mul(before, suffix);
    suffix = fp_mul(denominator, suffix);
    let slope = fp_mul(fp_norm(fp_sub(y2, y1)), inverse);
    var x3 = fp_norm(fp_red(fp_sub(fp_sub(fp_sqr(slope), x1), x2)));
    var y3 = fp_sub(fp_mul(fp_norm(fp_sub(x1, x3)), slope), y1);
    if (which == CASE_FIRST) {
      x3 = x1;
      y3 = y1;
    } else if (which == CASE_SECOND) {
      x3 = x2;
      y3 = y2;
    }
    if (which != CASE_ALIKE) {
      store_x(out + i, x3);
      store_y(out + i, fp_red(y3));
    }
    if (i < threads) { break; }
  }
}
