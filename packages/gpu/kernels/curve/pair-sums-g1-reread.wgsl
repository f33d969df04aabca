// Pass B of a round, one multiplier body whose operands are read again when they are needed, so that little stays
// live: the form for GPUs, where code size and registers decide. The product of inverses waits in workgroup memory.
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

// an odd number of words per invocation keeps neighbours in different banks
struct Parked { value: Fp, pad: u32 }
var<workgroup> parked: array<Parked, WG>;

@compute @workgroup_size(WG)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  let pair_count = state[STATE_PAIRS];
  let threads = thread_count(pair_count, params.per_thread, params.min_threads);
  let id = linear_id(group, groups, local);
  if (id >= threads || pair_count == 0u) { return; }
  let out = state[STATE_OUT];
  var y = fp_norm(fp_of_row(FpRow(totals[id * 3u], totals[id * 3u + 1u], totals[id * 3u + 2u])));
  for (var i = id + ((pair_count - 1u - id) / threads) * threads; ; i -= threads) {
    let pair = pairs[i];
    let which = pair.y >> CASE_SHIFT;
    let first = pair.x;
    let second = pair.y & REFERENCE_MASK;
    // 0: inverse, 1: next suffix, 2: slope, 3: slope², 4: slope·(x1 − x3)
    var x = fp_of_row(FpRow(products[i], products[i + params.product_slots], products[i + 2u * params.product_slots]));
    for (var step = 0u; step < 5u * params.unit; step++) {
      let r = fp_mul(x, y);
      switch (step) {
        case 0u: {
          parked[local].value = r;
          x = fp_sub(fp_of_row(x_row(second)), fp_of_row(x_row(first)));
          if (which != CASE_PLAIN) { x = fp_unit(); }
        }
        case 1u: {
          y = parked[local].value;
          parked[local].value = r;
          x = fp_norm(fp_sub(y_of(second), y_of(first)));
        }
        case 2u: {
          x = r;
          y = r;
        }
        case 3u: {
          let x1 = fp_of_row(x_row(first));
          let x2 = fp_of_row(x_row(second));
          var x3 = fp_norm(fp_red(fp_sub(fp_sub(r, x1), x2)));
          x = fp_norm(fp_sub(x1, x3));
          if (which == CASE_FIRST) { x3 = x1; }
          if (which == CASE_SECOND) { x3 = x2; }
          if (which != CASE_ALIKE) { store_x(out + i, x3); }
        }
        default: {
          let y1 = y_of(first);
          var y3 = fp_sub(r, y1);
          if (which == CASE_FIRST) { y3 = y1; }
          if (which == CASE_SECOND) { y3 = y_of(second); }
          if (which != CASE_ALIKE) { store_y(out + i, fp_red(y3)); }
        }
      }
    }
    y = parked[local].value;
    if (i < threads) { break; }
  }
}
