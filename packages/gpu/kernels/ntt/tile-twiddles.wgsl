// Twiddles of a tile pass: those of its stages from one small table, which serves every block, and one between the
// passes for every element.
// @import "two-level.wgsl"
// @import "butterfly.wgsl"
@group(0) @binding(0) var<storage, read> tile_roots: array<vec4u>; // w^i, i < 2 TILE, of order 2 TILE, biased
@group(0) @binding(1) var<storage, read> low_powers: array<vec4u>; // FULL: the boundary twiddles in access order
@group(0) @binding(2) var<storage, read> high_powers: array<vec4u>;

const BOUNDARY: bool = !INNER;

// Power e < 2^(LEVELS + 1) of the root of order 2 LENGTH, or its inverse.
fn tile_root(e: u32) -> Fr {
  let k = e * COLUMNS;
  let i = select(k, (2u * TILE - k) & (2u * TILE - 1u), INVERSE);
  return constant(tile_roots[2u * i], tile_roots[2u * i + 1u]);
}

// The twiddles of butterfly j of stage s: of blocks of LENGTH / 4^s points, on a coset if this pass is the innermost.
fn stage_twiddles(at: Place, v: Four, j: u32, s: u32) -> Four {
  let e = (2u * j + select(0u, SHIFTED, INNER)) << (2u * s);
  return twiddle4(v, tile_root(e), tile_root(2u * e), tile_root(3u * e));
}

// True where stage twiddles are not all one.
fn has_twiddles(quarter: u32) -> bool { return quarter > 1u || (INNER && COSET); }

// Twiddle between this pass and the one inside it, for bit-reversed point p.
fn boundary(at: Place, p: u32) -> Fr {
  if (FULL) { return low_power((p << at.log_stride) + at.first_column); }
  let k = reverseBits(p) >> (32u - LEVELS);
  let e = (k * (2u * at.first_column + SHIFTED)) << (params.log_order - 1u - params.log_block);
  let mask = 0xffffffffu >> (32u - params.log_order);
  return power(select(e, 0u - e, INVERSE) & mask, params.low_bits);
}
