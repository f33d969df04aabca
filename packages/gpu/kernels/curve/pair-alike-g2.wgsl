// Pairs of G2 whose x coordinates look alike: doubling, P + (-P), or different after all. Each has its own inversion.
// @import "../field/grid.wgsl"
// @import "inverse.wgsl"
// @import "points-g2.wgsl"
// @import "arena-store-g2.wgsl"
@group(0) @binding(0) var<storage, read> base: array<vec4u>;
@group(0) @binding(1) var<storage, read_write> arena_x: array<vec4u>;
@group(0) @binding(2) var<storage, read_write> arena_y: array<vec4u>;
@group(0) @binding(3) var<storage, read> pairs: array<vec2u>;
@group(0) @binding(4) var<storage, read> state: array<u32>;
@group(0) @binding(5) var<storage, read> alike: array<u32>;
@group(0) @binding(6) var<uniform> params: PairParams;

fn fp2_is_zero(a: Fp2) -> bool { return fp_is_zero(a.c0) && fp_is_zero(a.c1); }

@compute @workgroup_size(WG)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  let count = state[STATE_ALIKE];
  let threads = groups.x * groups.y * WG;
  for (var entry = linear_id(group, groups, local); entry < count; entry += threads) {
    let i = alike[entry];
    let first = pairs[i].x;
    let second = pairs[i].y & REFERENCE_MASK;
    let x1 = x_of(first);
    let x2 = x_of(second);
    let y1 = y_of(first);
    let y2 = y_of(second);
    let dx = fp2_sub(x2, x1);
    let dy = fp2_norm(fp2_sub(y2, y1));
    let same_x = fp2_is_zero(dx);
    let double = same_x && fp2_is_zero(dy);
    var denominator = fp2_norm(dx);
    if (double) { denominator = fp2_norm(fp2_add(y1, y1)); }
    if (same_x && !double) { denominator = Fp2(fp_unit(), fp_zero()); }
    // 1/(d0 + d1·u) = (d0 - d1·u)/(d0² + d1²)
    // 0: d0² + d1², 1: 1/d, 2: x1², 3: slope, 4: slope², 5: slope·(x1 − x3)
    var a = Fp2(denominator.c0, fp_neg_if(denominator.c1, 0xffffffffu));
    var b = denominator;
    var inverse: Fp2;
    var slope: Fp2;
    var x3: Fp2;
    var y3: Fp2;
    var step = 0u;
    loop {
      let r = fp2_mul(a, b, params.unit);
      if (step == 0u) {
        b = Fp2(fp_inverse(r.c0), fp_zero());
      } else if (step == 1u) {
        inverse = fp2_norm(r);
        a = fp2_norm(x1);
        b = a;
      } else if (step == 2u) {
        a = dy;
        if (double) { a = fp2_norm(fp2_red(fp2_add(r, fp2_add(r, r)))); }
        b = inverse;
      } else if (step == 3u) {
        slope = fp2_norm(r);
        a = slope;
        b = slope;
      } else if (step == 4u) {
        x3 = fp2_norm(fp2_red(fp2_sub(fp2_sub(r, x1), x2)));
        a = fp2_norm(fp2_sub(x1, x3));
        b = slope;
      } else {
        y3 = fp2_red(fp2_sub(r, y1));
      }
      continuing {
        step++;
        break if step == 6u * params.unit;
      }
    }
    if (same_x && !double) {
      x3 = fp2_zero();
      y3 = fp2_zero();
    }
    store_x(state[STATE_OUT] + i, x3);
    store_y(state[STATE_OUT] + i, y3);
  }
}
