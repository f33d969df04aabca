// Where a tile pass finds its elements: one binding of whole blocks.
// @import "element.wgsl"
@group(0) @binding(VECTOR) var<storage, read_write> x: array<vec4u>;

// Element `row` of the column of a pass that starts at `base`.
fn load_row(base: u32, row: u32, log_stride: u32) -> Fr {
  let i = 2u * (base + (row << log_stride));
  return element(x[i], x[i + 1u]);
}

fn store_row(base: u32, row: u32, log_stride: u32, w: array<u32, 8>) {
  let i = 2u * (base + (row << log_stride));
  x[i] = vec4u(w[0], w[1], w[2], w[3]);
  x[i + 1u] = vec4u(w[4], w[5], w[6], w[7]);
}
