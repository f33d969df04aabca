// A whole round in one kernel: the form for software adapters. Each batch goes forward for the denominators and their
// running products, inverts, and goes back for the sums.
// @import "inverse.wgsl"
// @import "pair-batches.wgsl"
// @import "points-g1.wgsl"
// @import "arena-store-g1.wgsl"
@group(0) @binding(0) var<storage, read> base: array<vec4u>;
@group(0) @binding(1) var<storage, read_write> arena_x: array<vec4u>;
@group(0) @binding(2) var<storage, read_write> arena_y: array<vec4u>;
@group(0) @binding(3) var<storage, read_write> pairs: array<vec2u>;
@group(0) @binding(4) var<storage, read_write> products: array<vec4u>;
@group(0) @binding(5) var<storage, read_write> state: array<atomic<u32>>;
@group(0) @binding(6) var<storage, read_write> alike: array<u32>;
@group(0) @binding(7) var<uniform> params: PairParams;

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
      let x1 = x_row(pair.x);
      let x2 = x_row(pair.y);
      var denominator = fp_sub(fp_of_row(x2), fp_of_row(x1));
      var which = select(CASE_PLAIN, CASE_ALIKE, maybe_congruent(x1.a.x, x2.a.x));
      which = select(which, CASE_FIRST, row_is_zero(x2));
      which = select(which, CASE_SECOND, row_is_zero(x1));
      if (which != CASE_PLAIN) {
        denominator = fp_unit();
        pairs[i].y = pair.y | (which << CASE_SHIFT);
        if (which == CASE_ALIKE) { alike[atomicAdd(&state[STATE_ALIKE], 1u)] = i; }
      }
      let row = fp_to_carried_row(product);
      let slot = product_slot(group.x, step, local);
      products[slot] = arena_words(row.a);
      products[slot + WG] = arena_words(row.b);
      products[slot + 2u * WG] = arena_words(row.c);
      product = fp_mul(denominator, product);
      continuing {
        step++;
        break if step == steps;
      }
    }
    // inverse of the product of the batch's denominators up to the step at hand
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
      let x1 = fp_of_row(x_row(first));
      let x2 = fp_of_row(x_row(second));
      let y1 = y_of(first);
      let y2 = y_of(second);
      let slot = product_slot(group.x, step, local);
      let before = fp_of_carried_row(FpRow(products[slot], products[slot + WG], products[slot + 2u * WG]));
      var denominator = fp_sub(x2, x1);
      if (which != CASE_PLAIN) { denominator = fp_unit(); }
      let inverse = fp_mul(before, suffix);
      suffix = fp_mul(denominator, suffix);
      let slope = fp_mul(fp_norm(fp_sub(y2, y1)), inverse);
      var x3 = fp_digits(fp_red(fp_sub(fp_sub(fp_sqr(slope), x1), x2)));
      var y3 = fp_sub(fp_mul(fp_sub(x1, x3), slope), y1);
      if (which == CASE_FIRST) {
        x3 = x1;
        y3 = y1;
      } else if (which == CASE_SECOND) {
        x3 = x2;
        y3 = y2;
      }
      if (which != CASE_ALIKE) {
        store_x_row(out + i, row_of_words(fp_pack_digits(x3)));
        store_y(out + i, fp_red(y3));
      }
      continuing { break if step == 0u; }
    }
    continuing {
      batch++;
      break if batch == stretch.batches;
    }
  }
}
