// Sums of few points, where rounds with a shared inversion would leave most of a device idle: each workgroup sums `span`
// points of one array to one, by the complete addition of Renes, Costello and Batina (algorithm 7, a = 0), which has no
// exceptions on curves of odd order. Points come in affine (zeros: infinity) and leave as (X : Y : Z); with PROJECTIVE
// they come so too.
// @import "coordinate.wgsl"
struct Params {
  count: u32,      // points of an array
  stride: u32,     // points from one array to the next
  span: u32,       // points of a workgroup, a multiple of WG
  per_array: u32,  // workgroups of an array
  groups: u32,     // workgroups in all
  unit: u32,       // 1: see fp2.wgsl
  levels: u32,     // log2 of WG
  pad: u32,
  one: array<vec4u, 3>, // biased
}
@group(0) @binding(0) var<storage, read> points: array<vec4u>;
@group(0) @binding(1) var<storage, read_write> sums: array<vec4u>;
@group(0) @binding(2) var<uniform> params: Params;

struct Point { x: Coordinate, y: Coordinate, z: Coordinate }
const SUM_ROWS: u32 = 3u * COORDINATE_ROWS;
const POINT_ROWS: u32 = select(2u, 3u, PROJECTIVE) * COORDINATE_ROWS;
var<workgroup> shared_sums: array<vec4u, WG * SUM_ROWS>;

fn one() -> Coordinate {
  let a = params.one[0];
  let b = params.one[1];
  let c = params.one[2];
  return c_of_fp(fp_unpack_biased(a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w, c.x, c.y, c.z, c.w));
}
fn infinity() -> Point { return Point(c_zero(), one(), c_zero()); }

fn load(i: u32) -> Point {
  let o = i * POINT_ROWS;
  var bits = vec4u(0u);
  for (var j = 0u; j < POINT_ROWS; j++) { bits |= points[o + j]; }
  if (all(bits == vec4u(0u))) { return infinity(); }
  let x = coordinate_at(o);
  let y = coordinate_at(o + COORDINATE_ROWS);
  if (PROJECTIVE) { return Point(x, y, coordinate_at(o + 2u * COORDINATE_ROWS)); }
  return Point(x, y, one());
}
fn row_at(i: u32) -> Fp { return fp_of_row(FpRow(points[i], points[i + 1u], points[i + 2u])); }
fn shared_row(i: u32) -> Fp { return fp_of_row(FpRow(shared_sums[i], shared_sums[i + 1u], shared_sums[i + 2u])); }
fn share_row(i: u32, x: Fp) {
  let row = fp_to_row(x);
  shared_sums[i] = row.a;
  shared_sums[i + 1u] = row.b;
  shared_sums[i + 2u] = row.c;
}

fn share(i: u32, p: Point) {
  let o = i * SUM_ROWS;
  share_coordinate(o, p.x);
  share_coordinate(o + COORDINATE_ROWS, p.y);
  share_coordinate(o + 2u * COORDINATE_ROWS, p.z);
}
fn shared_point(i: u32) -> Point {
  let o = i * SUM_ROWS;
  return Point(shared_coordinate(o), shared_coordinate(o + COORDINATE_ROWS), shared_coordinate(o + 2u * COORDINATE_ROWS));
}

// Twelve products, one body of code.
fn add(p: Point, q: Point) -> Point {
  var a = c_tidy(p.x);
  var b = c_tidy(q.x);
  var t0: Coordinate; var t1: Coordinate; var t2: Coordinate; var t3: Coordinate; var t4: Coordinate;
  var x3: Coordinate; var y3: Coordinate; var z3: Coordinate;
  for (var step = 0u; step < 12u * params.unit; step++) {
    let r = c_mul(a, b, params.unit);
    switch (step) {
      case 0u: { t0 = r; a = c_tidy(p.y); b = c_tidy(q.y); }
      case 1u: { t1 = r; a = c_tidy(p.z); b = c_tidy(q.z); }
      case 2u: { t2 = r; a = c_tidy(c_add(p.x, p.y)); b = c_tidy(c_add(q.x, q.y)); }
      case 3u: { t3 = c_tidy(c_sub(c_sub(r, t0), t1)); a = c_tidy(c_add(p.y, p.z)); b = c_tidy(c_add(q.y, q.z)); }
      case 4u: { t4 = c_tidy(c_sub(c_sub(r, t1), t2)); a = c_tidy(c_add(p.x, p.z)); b = c_tidy(c_add(q.x, q.z)); }
      case 5u: {
        y3 = c_tidy(c_times_3b(c_tidy(c_sub(c_sub(r, t0), t2))));
        t2 = c_times_3b(c_tidy(t2));
        t0 = c_tidy(c_add(t0, c_add(t0, t0)));
        z3 = c_tidy(c_add(t1, t2));
        t1 = c_tidy(c_sub(t1, t2));
        a = t3; b = t1;
      }
      case 6u: { x3 = r; a = t4; b = y3; }
      case 7u: { x3 = c_tidy(c_sub(x3, r)); a = t0; b = y3; }
      case 8u: { y3 = r; a = t1; b = z3; }
      case 9u: { y3 = c_tidy(c_add(y3, r)); a = z3; b = t4; }
      case 10u: { z3 = r; a = t0; b = t3; }
      default: { z3 = c_tidy(c_add(z3, r)); }
    }
  }
  return Point(x3, y3, z3);
}

@compute @workgroup_size(WG)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  let id = group.y * groups.x + group.x;
  if (id >= params.groups) { return; }
  let array_at = (id / params.per_array) * params.stride;
  let first = (id % params.per_array) * params.span;
  let turns = params.span / WG;
  var sum = infinity();
  // first the points of this invocation, then pairs of invocations: one body of code
  for (var turn = 0u; turn < turns + params.levels; turn++) {
    var other = infinity();
    if (turn < turns) {
      let i = first + turn * WG + local;
      if (i < params.count) { other = load(array_at + i); }
    } else {
      let half = WG >> (turn - turns + 1u);
      workgroupBarrier();
      share(local, sum);
      workgroupBarrier();
      if (local < half) { other = shared_point(local + half); }
    }
    sum = add(sum, other);
  }
  if (local == 0u) {
    share(0u, sum);
    for (var j = 0u; j < SUM_ROWS; j++) { sums[id * SUM_ROWS + j] = shared_sums[j]; }
  }
}
