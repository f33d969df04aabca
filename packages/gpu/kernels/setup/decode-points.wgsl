// Uncompressed points of a file into rows (Montgomery form), each checked: flags, coordinates below p, the curve
// equation. A bad point becomes zeros and is counted. Needs COORDINATES: 2 (G1), or 4 (G2; a file has c1 first).
// @import "../field/grid.wgsl"
// @import "../curve/fp2.wgsl"
// @import "file-words.wgsl"
@group(0) @binding(0) var<storage, read> encoded: array<vec4u>;
@group(0) @binding(1) var<storage, read_write> rows: array<vec4u>;
@group(0) @binding(2) var<storage, read_write> report: array<atomic<u32>, 3>; // bad points, number of the first, infinities
struct Params {
  square: array<vec4u, 3>,   // R^2 mod p
  constant: array<vec4u, 3>, // 4R mod p: the curve's constant, and both halves of its twist's
  count: u32,
  first: u32, // number of the first point
  unit: u32,
}
@group(0) @binding(3) var<uniform> params: Params;

const ROW: u32 = 3u * COORDINATES;

// Coordinate c of point i in stored order (c0 before c1), flags cleared.
fn file_row(i: u32, c: u32) -> FpRow {
  var at = c;
  if (COORDINATES == 4u) { at = c ^ 1u; }
  let o = i * ROW + 3u * at;
  let high = encoded[o];
  let middle = encoded[o + 1u];
  let low = encoded[o + 2u];
  var top = swap_bytes(high.x);
  if (at == 0u) { top &= ~ALL_FLAGS; }
  return FpRow(
    vec4u(swap_bytes(low.w), swap_bytes(low.z), swap_bytes(low.y), swap_bytes(low.x)),
    vec4u(swap_bytes(middle.w), swap_bytes(middle.z), swap_bytes(middle.y), swap_bytes(middle.x)),
    vec4u(swap_bytes(high.w), swap_bytes(high.z), swap_bytes(high.y), top),
  );
}
fn below_p(r: FpRow) -> bool {
  let w = array<u32, 12>(r.a.x, r.a.y, r.a.z, r.a.w, r.b.x, r.b.y, r.b.z, r.b.w, r.c.x, r.c.y, r.c.z, r.c.w);
  var borrow = 0u;
  for (var k = 0u; k < 12u; k++) {
    let d = w[k] - P_WORDS[k];
    borrow = u32(d > w[k]) | u32(d < borrow);
  }
  return borrow == 1u;
}
fn stored(o: u32) -> Fp { return fp_of_row(FpRow(rows[o], rows[o + 1u], rows[o + 2u])); }
fn curve_constant() -> Fp { return fp_of_row(FpRow(params.constant[0], params.constant[1], params.constant[2])); }

// y² - x³ - 4 (or 4 + 4u) for the point whose row was just written
fn equation_holds(o: u32) -> bool {
  if (COORDINATES == 2u) {
    let x = stored(o);
    let y = stored(o + 3u);
    var a = x;
    var b = fp_norm(x);
    var cube: Fp;
    var rest: Fp;
    for (var step = 0u; step < 3u * params.unit; step++) {
      let r = fp_mul(a, b);
      if (step == 0u) {
        a = r;
      } else if (step == 1u) {
        cube = r;
        a = y;
        b = fp_norm(y);
      } else {
        rest = fp_sub(fp_sub(r, cube), curve_constant());
      }
    }
    return fp_is_zero(rest);
  }
  let x = fp2_norm(Fp2(stored(o), stored(o + 3u)));
  let y = fp2_norm(Fp2(stored(o + 6u), stored(o + 9u)));
  var a = x;
  var b = x;
  var cube: Fp2;
  var rest: Fp2;
  for (var step = 0u; step < 3u * params.unit; step++) {
    let r = fp2_norm(fp2_mul(a, b, params.unit));
    if (step == 0u) {
      a = r;
    } else if (step == 1u) {
      cube = r;
      a = y;
      b = y;
    } else {
      rest = fp2_sub(fp2_sub(r, cube), Fp2(curve_constant(), curve_constant()));
    }
  }
  return fp_is_zero(rest.c0) && fp_is_zero(rest.c1);
}

@compute @workgroup_size(WG)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  let i = linear_id(group, groups, local);
  if (i >= params.count) { return; }
  let o = i * ROW;
  let flags = swap_bytes(encoded[o].x) & ALL_FLAGS;
  var good = (flags & COMPRESSED_FLAGS) == 0u;
  var zero = true;
  let square = fp_norm(fp_of_row(FpRow(params.square[0], params.square[1], params.square[2])));
  for (var c = 0u; c < COORDINATES * params.unit; c++) {
    let canonical = file_row(i, c);
    good = good && below_p(canonical);
    zero = zero && row_is_zero(canonical);
    let row = fp_to_row(fp_red(fp_mul(fp_of_row(canonical), square)));
    rows[o + 3u * c] = row.a;
    rows[o + 3u * c + 1u] = row.b;
    rows[o + 3u * c + 2u] = row.c;
  }
  let on_curve = equation_holds(o);
  let infinite = flags == INFINITY_FLAG;
  good = good && ((infinite && zero) || (flags == 0u && on_curve));
  if (good && infinite) { atomicAdd(&report[2], 1u); }
  if (!good) {
    atomicAdd(&report[0], 1u);
    atomicMin(&report[1], params.first + i);
    for (var j = 0u; j < ROW; j++) { rows[o + j] = vec4u(0u); }
  }
}
