// Two levels of a transform straight from and to memory. An invocation does the same radix-4 butterfly in some blocks:
// Mesa loads lane by lane, and what it loads of roots is then a smaller part.
// DIT: false = decimation in frequency (natural to bit-reversed), true = decimation in time (back).
// Direction and coset arrive as parameters, so that no kernel of their own is compiled for them: an inverse butterfly is
// the forward one with two of its results exchanged. On a coset twiddles are those of a root of order 2n, see tile.wgsl.
// TURNS: false on the innermost levels where all twiddles are 1. A constant, as Mesa runs both sides of a branch.
// roots: w^i for i < m, biased, where w has order 2m and m = 2^params.log_table is at least the block of these levels.
// @import "../field/grid.wgsl"
// @import "butterfly.wgsl"
// @import "element.wgsl"
// @import "../field/stored.wgsl"
struct Params {
  quarter_log: u32,
  log_table: u32,
  count: u32,          // invocations
  blocks: u32,         // of each invocation
  inverse: u32,        // 0 or 1
  coset: u32,          // 0 or 1
}
const INVERSE: bool = false; // of butterfly.wgsl
@group(0) @binding(0) var<storage, read_write> x: array<vec4u>;
@group(0) @binding(1) var<storage, read> roots: array<vec4u>;
@group(0) @binding(2) var<uniform> params: Params;

fn load(p: u32) -> Fr { return element(x[2u * p], x[2u * p + 1u]); }

fn store(p: u32, w: array<u32, 8>) {
  x[2u * p] = stored(vec4u(w[0], w[1], w[2], w[3]), params.count == 0u);
  x[2u * p + 1u] = stored(vec4u(w[4], w[5], w[6], w[7]), params.count == 0u);
}

// w^e or w^-e for e < 2m; the upper half of the powers is the lower half negated
fn root(e: u32) -> Fr {
  let m = 1u << params.log_table;
  let k = select(e, (2u * m - e) & (2u * m - 1u), params.inverse == 1u);
  let i = k & (m - 1u);
  return fr_neg_if(constant(roots[2u * i], roots[2u * i + 1u]), select(0u, 0xffffffffu, k >= m));
}

// Twiddles in the order of a forward butterfly's results.
fn butterfly(block: u32, j: u32, t1: Fr, t2: Fr, t3: Fr) {
  let quarter = 1u << params.quarter_log;
  let p0 = (block << (params.quarter_log + 2u)) + j;
  let p1 = p0 + quarter;
  let p2 = p1 + quarter;
  let p3 = p2 + quarter;
  var v = Four(load(p0), load(p1), load(p2), load(p3));
  if (DIT) {
    if (TURNS) { v = twiddle4(v, t1, t2, t3); }
    v = dit4(v);
  } else {
    v = dif4(v);
  }
  // of an inverse one the second and the last (in time) or the last two (in frequency) change places
  let swap = params.inverse == 1u;
  let second = select(p1, p3, swap && DIT);
  let third = select(p2, p3, swap && !DIT);
  let last = select(p3, select(p2, p1, DIT), swap);
  if (TURNS && !DIT) {
    v = twiddle4(v, t1, t2, t3);
    store(p0, product_words(v.a));
    store(second, product_words(v.b));
    store(third, product_words(v.c));
    store(last, product_words(v.d));
  } else {
    store(p0, sum_words(v.a));
    store(second, sum_words(v.b));
    store(third, sum_words(v.c));
    store(last, sum_words(v.d));
  }
}

@compute @workgroup_size(WG)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  let i = linear_id(group, groups, local);
  if (i >= params.count) { return; }
  let j = i & ((1u << params.quarter_log) - 1u);
  let e = (2u * j + params.coset) << (params.log_table - params.quarter_log - 2u);
  let swap = !DIT && params.inverse == 1u;
  let t1 = root(select(e, 3u * e, swap));
  let t2 = root(2u * e);
  let t3 = root(select(3u * e, e, swap));
  let first = (i >> params.quarter_log) * params.blocks;
  if (SHARED) {
    // the check at the end: where it comes first, Mesa runs the body once more with all lanes masked
    var block = first;
    loop {
      butterfly(block, j, t1, t2, t3);
      continuing {
        block++;
        break if block == first + params.blocks;
      }
    }
  } else {
    butterfly(first, j, t1, t2, t3);
  }
}
