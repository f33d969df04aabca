// Pass B of a round over G2: 1/(d0 + d1·u) = (d0 − d1·u)/norm, and the chord formula.
// @import "../field/grid.wgsl"
// @import "points-g2.wgsl"
// @import "arena-store-g2.wgsl"
@group(0) @binding(0) var<storage, read> base: array<vec4u>;
@group(0) @binding(1) var<storage, read_write> arena_x: array<vec4u>;
@group(0) @binding(2) var<storage, read_write> arena_y: array<vec4u>;
@group(0) @binding(3) var<storage, read> pairs: array<vec2u>;
@group(0) @binding(4) var<storage, read> products: array<vec4u>;
@group(0) @binding(5) var<storage, read> totals: array<vec4u>;
@group(0) @binding(6) var<storage, read> state: array<u32>;
@group(0) @binding(7) var<uniform> params: PairParams;

fn product_at(first: u32) -> Fp {
  return fp_of_row(FpRow(products[first], products[first + params.product_slots], products[first + 2u * params.product_slots]));
}

@compute @workgroup_size(WG)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  let pair_count = state[STATE_PAIRS];
  let threads = thread_count(pair_count, params.per_thread, params.min_threads);
  let id = linear_id(group, groups, local);
  if (id >= threads || pair_count == 0u) { return; }
  let out = state[STATE_OUT];
  var suffix = fp_norm(fp_of_row(FpRow(totals[id * 3u], totals[id * 3u + 1u], totals[id * 3u + 2u])));
  for (var i = id + ((pair_count - 1u - id) / threads) * threads; ; i -= threads) {
    let pair = pairs[i];
    let which = pair.y >> CASE_SHIFT;
    let first = pair.x;
    let second = pair.y & REFERENCE_MASK;
    // both products with the suffix: the pair's inverse norm, then the next suffix
    let both = fp2_scale(Fp2(product_at(i), product_at(i + 3u * params.product_slots)), suffix, params.unit);
    let inverse = both.c0;
    suffix = both.c1;
    let x1 = x_of(first);
    let x2 = x_of(second);
    let y1 = y_of(first);
    let y2 = y_of(second);
    let conjugate = Fp2(fp_norm(fp_sub(x2.c0, x1.c0)), fp_norm(fp_sub(x1.c1, x2.c1)));
    let numerator = fp2_mul(fp2_norm(fp2_sub(y2, y1)), conjugate, params.unit);
    let slope = fp2_scale(fp2_norm(numerator), inverse, params.unit);
    var x3 = fp2_norm(fp2_red(fp2_sub(fp2_sub(fp2_sqr(slope, params.unit), x1), x2)));
    var y3 = fp2_sub(fp2_mul(fp2_norm(fp2_sub(x1, x3)), slope, params.unit), y1);
    if (which == CASE_FIRST) {
      x3 = x1;
      y3 = y1;
    } else if (which == CASE_SECOND) {
      x3 = x2;
      y3 = y2;
    }
    if (which != CASE_ALIKE) {
      store_x(out + i, x3);
      store_y(out + i, fp2_red(y3));
    }
    if (i < threads) { break; }
  }
}
