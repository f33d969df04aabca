// Pass C of a round in the split form: the chord formula for one pair per invocation, with the inverse of its
// denominator from pass B. One multiplier body, so that the code stays in the instruction cache.
// @import "../field/grid.wgsl"
// @import "points-g1.wgsl"
// @import "arena-store-g1.wgsl"
@group(0) @binding(0) var<storage, read> base: array<vec4u>;
@group(0) @binding(1) var<storage, read_write> arena_x: array<vec4u>;
@group(0) @binding(2) var<storage, read_write> arena_y: array<vec4u>;
@group(0) @binding(3) var<storage, read> pairs: array<vec2u>;
@group(0) @binding(4) var<storage, read> inverses: array<vec4u>;
@group(0) @binding(5) var<storage, read> state: array<u32>;
@group(0) @binding(6) var<uniform> params: PairParams;

@compute @workgroup_size(WG)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  let i = linear_id(group, groups, local);
  if (i >= state[STATE_PAIRS]) { return; }
  let out = state[STATE_OUT] + i;
  let pair = pairs[i];
  let which = pair.y >> CASE_SHIFT;
  let first = pair.x;
  let second = pair.y & REFERENCE_MASK;
  if (which == CASE_ALIKE) { return; }
  if (which != CASE_PLAIN) {
    let finite = select(second, first, which == CASE_FIRST);
    store_x(out, fp_of_row(x_row(finite)));
    store_y(out, y_of(finite));
    return;
  }
  // The slope's sign is left out until y3, which the first point's sign gives back.
  let sign = sign_mask(first);
  // 0: slope, 1: slope², 2: slope·(x1 − x3)
  var x = fp_of_carried_row(FpRow(inverses[i], inverses[i + params.product_slots], inverses[i + 2u * params.product_slots]));
  let y2 = fp_neg_if(fp_of_row(y_row(second)), sign ^ sign_mask(second));
  var y = fp_norm(fp_sub(y2, fp_of_row(y_row(first))));
  for (var step = 0u; step < 3u * params.unit; step++) {
    let r = fp_mul(x, y);
    if (step == 0u) {
      x = r;
      y = r;
    } else if (step == 1u) {
      let x1 = fp_of_row(x_row(first));
      let x3 = fp_digits(fp_red(fp_sub(fp_sub(r, x1), fp_of_row(x_row(second)))));
      store_x_row(out, row_of_words(fp_pack_digits(x3)));
      x = fp_sub(x1, x3);
    } else {
      let y3 = fp_red(fp_sub(r, fp_of_row(y_row(first))));
      store_y(out, fp_neg_if(y3, sign));
    }
  }
}
