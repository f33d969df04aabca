// pair-batches-g1.wgsl over G2: 1/(d0 + d1·u) = (d0 − d1·u)/norm; of a pair the product before it and its norm are kept.
// @import "inverse.wgsl"
// @import "pair-batches.wgsl"
// @import "points-g2.wgsl"
// @import "arena-store-g2.wgsl"
@group(0) @binding(0) var<storage, read> base: array<vec4u>;
@group(0) @binding(1) var<storage, read_write> arena_x: array<vec4u>;
@group(0) @binding(2) var<storage, read_write> arena_y: array<vec4u>;
@group(0) @binding(3) var<storage, read_write> pairs: array<vec2u>;
@group(0) @binding(4) var<storage, read_write> products: array<vec4u>;
@group(0) @binding(5) var<storage, read_write> state: array<atomic<u32>>;
@group(0) @binding(6) var<storage, read_write> alike: array<u32>;
@group(0) @binding(7) var<uniform> params: PairParams;

fn store_product(slot: u32, x: Fp) {
  let row = fp_to_row(x);
  products[slot] = arena_words(row.a);
  products[slot + WG] = arena_words(row.b);
  products[slot + 2u * WG] = arena_words(row.c);
}
fn product_at(slot: u32) -> Fp {
  return fp_of_row(FpRow(products[slot], products[slot + WG], products[slot + 2u * WG]));
}

@compute @workgroup_size(WG)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  let pair_count = atomicLoad(&state[STATE_PAIRS]);
  let out = atomicLoad(&state[STATE_OUT]);
  let stretch = stretch_of(group.x, groups.x, pair_count);
  // whoever stays has a pair, so that every loop below runs once at least
  if (stretch.first + local >= pair_count) { return; }
  var batch = 0u;
  loop {
    let start = stretch.first + batch * STEPS * WG + local;
    let steps = min(STEPS, stretch.steps - batch * STEPS);
    var product = fp_unit();
    var step = 0u;
    loop {
      let i = start + step * WG;
      if (i >= pair_count) { break; }
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
      let d0 = fp_sub(fp_of_row(second0), fp_of_row(first0));
      let d1 = fp_sub(fp_of_row(second1), fp_of_row(first1));
      let next = fp2_norm_times(Fp2(d0, d1), product, which == CASE_PLAIN, params.unit);
      let slot = product_slot(group.x, step, local);
      store_product(slot, product);
      store_product(slot + 3u * WG, next.norm);
      product = next.product;
      continuing {
        step++;
        break if step == steps;
      }
    }
    // inverse of the product of the batch's norms up to the step at hand
    var suffix = fp_inverse(product);
    step = steps;
    loop {
      step--;
      let i = start + step * WG;
      if (i >= pair_count) { continue; }
      let pair = pairs[i];
      let which = pair.y >> CASE_SHIFT;
      let first = pair.x;
      let second = pair.y & REFERENCE_MASK;
      let slot = product_slot(group.x, step, local);
      let x1 = x_of(first);
      let x2 = x_of(second);
      let y1 = y_of(first);
      let y2 = y_of(second);
      let conjugate = Fp2(fp_norm(fp_sub(x2.c0, x1.c0)), fp_norm(fp_sub(x1.c1, x2.c1)));
      // both products with the suffix: the pair's inverse norm, then the next suffix
      let kept = Fp2(product_at(slot), product_at(slot + 3u * WG));
      let numerator = fp2_norm(fp2_sub(y2, y1));
      let inverted = fp2_scale_and_mul(kept, suffix, numerator, conjugate, params.unit);
      suffix = inverted.scaled.c1;
      let slope = fp2_scale_and_square(fp2_norm(inverted.product), inverted.scaled.c0, params.unit);
      var x3 = fp2_norm(fp2_red(fp2_sub(fp2_sub(slope.square, x1), x2)));
      var y3 = fp2_sub(fp2_mul(fp2_norm(fp2_sub(x1, x3)), slope.scaled, params.unit), y1);
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
      continuing { break if step == 0u; }
    }
    continuing {
      batch++;
      break if batch == stretch.batches;
    }
  }
}
