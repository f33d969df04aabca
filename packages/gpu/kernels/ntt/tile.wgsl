// What the two tile passes share: a workgroup holds TILE elements, four per invocation, and does LEVELS levels of
// COLUMNS = TILE / 2^LEVELS transforms of 2^LEVELS points. INNER: the points of a transform are neighbours in memory
// (the last pass of DIF, the first of DIT); otherwise they are 2^log_stride apart and neighbouring invocations take
// neighbouring columns.
// @import "two-level.wgsl"
// @import "butterfly.wgsl"
// @import "exchange.wgsl"
struct Params {
  log_block: u32, // points of the transform that this pass is part of
  stages: u32,    // radix-4 stages, LEVELS / 2: not a constant, so that drivers do not unroll
  inverse: u32,
  log_n: u32,     // order of the two-level tables
  low_bits: u32,
  start: u32,     // index of the binding's first element in the whole vector
}
@group(0) @binding(0) var<storage, read_write> x: array<vec4u>;
@group(0) @binding(1) var<storage, read> tile_roots: array<vec4u>; // w_TILE^i for i < TILE, biased
@group(0) @binding(2) var<storage, read> low_powers: array<vec4u>; // FULL: the boundary twiddles in access order
@group(0) @binding(3) var<storage, read> high_powers: array<vec4u>;
@group(0) @binding(4) var<uniform> params: Params;

const LENGTH: u32 = 1u << LEVELS;
const COLUMNS: u32 = TILE / LENGTH;
const ODD: bool = (LEVELS & 1u) == 1u;

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

fn load(at: Place, p: u32) -> Fr {
  let i = 2u * (at.base + (p << at.log_stride));
  let a = x[i];
  let b = x[i + 1u];
  return fr_unpack(a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w);
}

fn store(at: Place, p: u32, v: Fr) {
  let i = 2u * (at.base + (p << at.log_stride));
  let w = fr_pack(v);
  x[i] = vec4u(w[0], w[1], w[2], w[3]);
  x[i + 1u] = vec4u(w[4], w[5], w[6], w[7]);
}

// w_LENGTH^e or its inverse, e < LENGTH
fn tile_root(e: u32) -> Fr {
  let k = e * COLUMNS;
  let i = select(k, (TILE - k) & (TILE - 1u), params.inverse != 0u);
  let a = tile_roots[2u * i];
  let b = tile_roots[2u * i + 1u];
  return fr_unpack_biased(a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w);
}

// Twiddle between this pass and the one inside it, for bit-reversed point p.
fn boundary(at: Place, p: u32) -> Fr {
  if (FULL) { return low_power((p << at.log_stride) + at.first_column); }
  let k = reverseBits(p) >> (32u - LEVELS);
  let e = (k * at.first_column) << (params.log_n - params.log_block);
  let n_mask = 0xffffffffu >> (32u - params.log_n);
  return power(select(e, (0u - e) & n_mask, params.inverse != 0u), params.low_bits);
}

fn radix2(x: Four) -> Four {
  return Four(fr_add(x.a, x.b), fr_sub(x.a, x.b), fr_add(x.c, x.d), fr_sub(x.c, x.d));
}
