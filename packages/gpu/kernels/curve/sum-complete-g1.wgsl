// Sums of few points of G1, where rounds with a shared inversion would leave most of a device idle: each workgroup sums
// `span` points of one array to one, by the complete addition of Renes, Costello and Batina (algorithm 7, a = 0), which
// has no exceptions on curves of odd order. Points come in affine (zeros: infinity) and leave as (X : Y : Z); with
// PROJECTIVE they come so too.
// @import "fp-memory.wgsl"
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

struct Point { x: Fp, y: Fp, z: Fp }
const SUM_ROWS: u32 = 9u;
const POINT_ROWS: u32 = select(6u, 9u, PROJECTIVE);
var<workgroup> shared_sums: array<vec4u, WG * SUM_ROWS>;

fn one() -> Fp {
  let a = params.one[0];
  let b = params.one[1];
  let c = params.one[2];
  return fp_unpack_biased(a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w, c.x, c.y, c.z, c.w);
}
fn infinity() -> Point { return Point(fp_zero(), one(), fp_zero()); }
fn row_at(i: u32) -> FpRow { return FpRow(points[i], points[i + 1u], points[i + 2u]); }
fn shared_row(i: u32) -> Fp { return fp_of_row(FpRow(shared_sums[i], shared_sums[i + 1u], shared_sums[i + 2u])); }
fn share_row(i: u32, x: Fp) {
  let row = fp_to_row(x);
  shared_sums[i] = row.a;
  shared_sums[i + 1u] = row.b;
  shared_sums[i + 2u] = row.c;
}

fn load(i: u32) -> Point {
  let o = i * POINT_ROWS;
  let x = row_at(o);
  let y = row_at(o + 3u);
  if (row_is_zero(x) && row_is_zero(y)) { return infinity(); }
  if (PROJECTIVE) { return Point(fp_of_row(x), fp_of_row(y), fp_of_row(row_at(o + 6u))); }
  return Point(fp_of_row(x), fp_of_row(y), one());
}
fn share(i: u32, p: Point) {
  share_row(i * SUM_ROWS, p.x);
  share_row(i * SUM_ROWS + 3u, p.y);
  share_row(i * SUM_ROWS + 6u, p.z);
}
fn shared_point(i: u32) -> Point {
  return Point(shared_row(i * SUM_ROWS), shared_row(i * SUM_ROWS + 3u), shared_row(i * SUM_ROWS + 6u));
}

// carried and within p, for any sum of a dozen products
fn tidy(a: Fp) -> Fp { return fp_norm(fp_red(fp_norm(a))); }
// 3 b x for a tidy x; b is 4
fn times_3b(x: Fp) -> Fp {
  let x3 = fp_add(x, fp_add(x, x));
  let x6 = fp_add(x3, x3);
  return fp_add(x6, x6);
}

// Twelve products, one body of code.
fn add(p: Point, q: Point) -> Point {
  var a = tidy(p.x);
  var b = tidy(q.x);
  var t0: Fp; var t1: Fp; var t2: Fp; var t3: Fp; var t4: Fp;
  var x3: Fp; var y3: Fp; var z3: Fp;
  for (var step = 0u; step < 12u * params.unit; step++) {
    let r = fp_mul(a, b);
    switch (step) {
      case 0u: { t0 = r; a = tidy(p.y); b = tidy(q.y); }
      case 1u: { t1 = r; a = tidy(p.z); b = tidy(q.z); }
      case 2u: { t2 = r; a = tidy(fp_add(p.x, p.y)); b = tidy(fp_add(q.x, q.y)); }
      case 3u: { t3 = tidy(fp_sub(fp_sub(r, t0), t1)); a = tidy(fp_add(p.y, p.z)); b = tidy(fp_add(q.y, q.z)); }
      case 4u: { t4 = tidy(fp_sub(fp_sub(r, t1), t2)); a = tidy(fp_add(p.x, p.z)); b = tidy(fp_add(q.x, q.z)); }
      case 5u: {
        y3 = tidy(times_3b(tidy(fp_sub(fp_sub(r, t0), t2))));
        t2 = times_3b(tidy(t2));
        t0 = tidy(fp_add(t0, fp_add(t0, t0)));
        z3 = tidy(fp_add(t1, t2));
        t1 = tidy(fp_sub(t1, t2));
        a = t3; b = t1;
      }
      case 6u: { x3 = r; a = t4; b = y3; }
      case 7u: { x3 = tidy(fp_sub(x3, r)); a = t0; b = y3; }
      case 8u: { y3 = r; a = t1; b = z3; }
      case 9u: { y3 = tidy(fp_add(y3, r)); a = z3; b = t4; }
      case 10u: { z3 = r; a = t0; b = t3; }
      default: { z3 = tidy(fp_add(z3, r)); }
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
