// What the two tile passes share: a workgroup holds TILE elements, four per invocation, and does LEVELS levels of
// COLUMNS = TILE / 2^LEVELS transforms of 2^LEVELS points. INNER: the points of a transform are neighbours in memory
// (the last pass of DIF, the first of DIT); otherwise they are 2^log_stride apart and neighbouring invocations take
// neighbouring columns. A transform on the coset of a root g of order 2n (COSET) has every twiddle w_b^(d j) of a block
// of b points replaced by w_2b^(d (2j + 1)).
// @import "tile-memory.wgsl"
// @import "tile-twiddles.wgsl"
// @import "butterfly.wgsl"
// @import "exchange.wgsl"
struct Params {
  log_block: u32, // points of the transform that this pass is part of
  stages: u32,    // radix-4 stages, LEVELS / 2: not a constant, so that drivers do not unroll
  log_order: u32, // order of the two-level tables: twice the points of the whole transform
  low_bits: u32,
  tiles: u32,     // a folded dispatch may have more workgroups
}

// tables come first, then the vector from binding VECTOR on, then the parameters
@group(0) @binding(PARAMS) var<uniform> params: Params;

const LENGTH: u32 = 1u << LEVELS;
const COLUMNS: u32 = TILE / LENGTH;
const ODD: bool = (LEVELS & 1u) == 1u;
const SHIFTED: u32 = select(0u, 1u, COSET);

// Where an invocation works: transform `column` of the workgroup, butterfly `index` of LENGTH / 4.
struct Place { column: u32, index: u32, base: u32, log_stride: u32, first_column: u32 }

fn place(workgroup: u32, local: u32) -> Place {
  if (INNER) {
    let column = local / (LENGTH / 4u);
    return Place(column, local % (LENGTH / 4u), workgroup * TILE + column * LENGTH, 0u, 0u);
  }
  let log_stride = params.log_block - LEVELS;
  let per_block = (1u << log_stride) / COLUMNS;
  let column = local % COLUMNS;
  let first = (workgroup % per_block) * COLUMNS + column;
  return Place(column, local / COLUMNS, ((workgroup / per_block) << params.log_block) + first, log_stride, first);
}

fn slot(at: Place, p: u32) -> u32 {
  if (INNER) { return at.column * LENGTH + p; }
  return p * COLUMNS + at.column;
}

// Places for an exchange. A permutation of the tile in which 32 neighbouring invocations, whatever their step, meet 32
// different banks of workgroup memory: without it up to four of them wait for one another.
fn slots(at: Place, p: u32, step: u32) -> vec4u {
  let s = vec4u(slot(at, p), slot(at, p + step), slot(at, p + 2u * step), slot(at, p + 3u * step));
  return s ^ ((s >> vec4u(1u)) & vec4u(1u)) ^ ((s >> vec4u(2u)) & vec4u(31u));
}

fn load(at: Place, p: u32) -> Fr { return load_row(at.base, p, at.log_stride); }

fn store_product(at: Place, p: u32, v: Fr) { store_row(at.base, p, at.log_stride, product_words(v)); }

fn store_sum(at: Place, p: u32, v: Fr) { store_row(at.base, p, at.log_stride, sum_words(v)); }

// The level of neighbours of an odd pass; on a coset the twiddle is the fourth root.
fn radix2_dif(x: Four) -> Four {
  var b = fr_sub(x.a, x.b);
  var d = fr_sub(x.c, x.d);
  if (INNER && COSET) {
    b = turned_difference(x.a, x.b);
    d = turned_difference(x.c, x.d);
  }
  return Four(fr_add(x.a, x.b), b, fr_add(x.c, x.d), d);
}

fn radix2_dit(x: Four) -> Four {
  var b = x.b;
  var d = x.d;
  if (INNER && COSET) {
    b = turned(b);
    d = turned(d);
  }
  return Four(fr_add(x.a, b), fr_sub(x.a, b), fr_add(x.c, d), fr_sub(x.c, d));
}
