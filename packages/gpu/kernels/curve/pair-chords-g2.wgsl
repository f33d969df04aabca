// Pass C of a round over G2 in the split form: 1/(d0 + d1·u) = (d0 − d1·u)/norm with 1/norm from pass B, and the chord
// formula, for one pair per invocation. One multiplier body for all products.
// @import "../field/grid.wgsl"
// @import "points-g2.wgsl"
// @import "arena-store-g2.wgsl"
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
  // 0: numerator·conjugate, 1: slope, 2: slope², 3: slope·(x1 − x3)
  var a = fp2_norm(fp2_sub(y_of(second), y_of(first)));
  var b = fp2_norm(fp2_sub(x_of(second), x_of(first)));
  b.c1 = fp_neg_if(b.c1, 0xffffffffu);
  for (var step = 0u; step < 4u * params.unit; step++) {
    // three products, or two where b is in Fp
    var x = a.c0;
    var y = b.c0;
    var low: Fp;
    var high: Fp;
    var cross: Fp;
    let turns = select(3u, 2u, step == 1u) * params.unit;
    for (var turn = 0u; turn < turns; turn++) {
      let r = fp_mul(x, y);
      if (turn == 0u) {
        low = r;
        x = a.c1;
        y = b.c1;
      } else if (turn == 1u) {
        high = r;
        x = fp_norm(fp_add(a.c0, a.c1));
        y = fp_norm(fp_add(b.c0, b.c1));
      } else {
        cross = r;
      }
    }
    let product = Fp2(fp_sub(low, high), fp_sub(fp_sub(cross, low), high));
    switch (step) {
      case 0u: {
        a = fp2_norm(product);
        b.c0 = fp_of_carried_row(FpRow(inverses[i], inverses[i + params.product_slots], inverses[i + 2u * params.product_slots]));
        b.c1 = b.c0;
      }
      case 1u: {
        a = Fp2(low, high);
        b = a;
      }
      case 2u: {
        let x1 = x_of(first);
        let x2 = x_of(second);
        var x3 = fp2_norm(fp2_red(fp2_sub(fp2_sub(product, x1), x2)));
        a = fp2_norm(fp2_sub(x1, x3));
        if (which == CASE_FIRST) { x3 = x1; }
        if (which == CASE_SECOND) { x3 = x2; }
        store_x(out, x3);
      }
      default: {
        let y1 = y_of(first);
        var y3 = fp2_sub(product, y1);
        if (which == CASE_FIRST) { y3 = y1; }
        if (which == CASE_SECOND) { y3 = y_of(second); }
        store_y(out, fp2_red(y3));
      }
    }
  }
}
