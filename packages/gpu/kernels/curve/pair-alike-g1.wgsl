// Pairs whose x coordinates look alike: doubling, P + (-P), or different after all. Rare, so each has its own inversion.
// @import "../field/grid.wgsl"
// @import "inverse.wgsl"
// @import "points-g1.wgsl"
// @import "arena-store-g1.wgsl"
@group(0) @binding(0) var<storage, read> base: array<vec4u>;
@group(0) @binding(1) var<storage, read_write> arena_x: array<vec4u>;
@group(0) @binding(2) var<storage, read_write> arena_y: array<vec4u>;
@group(0) @binding(3) var<storage, read> pairs: array<vec2u>;
@group(0) @binding(4) var<storage, read> state: array<u32>;
@group(0) @binding(5) var<storage, read> alike: array<u32>;
@group(0) @binding(6) var<uniform> params: PairParams;

@compute @workgroup_size(WG)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  let count = state[STATE_ALIKE];
  let threads = groups.x * groups.y * WG;
  for (var entry = linear_id(group, groups, local); entry < count; entry += threads) {
    let i = alike[entry];
    let first = pairs[i].x;
    let second = pairs[i].y & REFERENCE_MASK;
    let x1 = fp_of_row(x_row(first));
    let x2 = fp_of_row(x_row(second));
    let y1 = y_of(first);
    let y2 = y_of(second);
    let dx = fp_sub(x2, x1);
    let dy = fp_norm(fp_sub(y2, y1));
    let same_x = fp_is_zero(dx);
    let double = same_x && fp_is_zero(dy);
    var denominator = dx;
    if (double) { denominator = fp_norm(fp_add(y1, y1)); }
    if (same_x && !double) { denominator = fp_unit(); }
    let inverse = fp_inverse(denominator);
    // 0: x1², 1: slope, 2: slope², 3: slope·(x1 − x3)
    var a = x1;
    var b = fp_norm(x1);
    var slope: Fp;
    var x3: Fp;
    for (var step = 0u; step < 4u * params.unit; step++) {
      let r = fp_mul(a, b);
      if (step == 0u) {
        a = dy;
        if (double) { a = fp_norm(fp_add(r, fp_add(r, r))); }
        b = inverse;
      } else if (step == 1u) {
        slope = r;
        a = r;
        b = r;
      } else if (step == 2u) {
        x3 = fp_norm(fp_red(fp_sub(fp_sub(r, x1), x2)));
        a = fp_norm(fp_sub(x1, x3));
        b = slope;
      } else {
        a = r;
      }
    }
    var y3 = fp_red(fp_sub(a, y1));
    if (same_x && !double) {
      x3 = fp_zero();
      y3 = fp_zero();
    }
    store_x(state[STATE_OUT] + i, x3);
    store_y(state[STATE_OUT] + i, y3);
  }
}
