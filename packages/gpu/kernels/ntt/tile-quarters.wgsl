// Where the outermost pass finds its elements when the vector has several segments: a binding per quarter of it.
// @import "element.wgsl"
@group(0) @binding(VECTOR) var<storage, read_write> x0: array<vec4u>;
@group(0) @binding(VECTOR + 1u) var<storage, read_write> x1: array<vec4u>;
@group(0) @binding(VECTOR + 2u) var<storage, read_write> x2: array<vec4u>;
@group(0) @binding(VECTOR + 3u) var<storage, read_write> x3: array<vec4u>;
const QUARTER_ROWS: u32 = 1u << (LEVELS - 2u);

// Element `row` of the column of the pass that starts at `base`.
fn load_row(base: u32, row: u32, log_stride: u32) -> Fr {
  let i = 2u * (base + ((row & (QUARTER_ROWS - 1u)) << log_stride));
  var a: vec4u;
  var b: vec4u;
  switch (row / QUARTER_ROWS) {
    case 0u: { a = x0[i]; b = x0[i + 1u]; }
    case 1u: { a = x1[i]; b = x1[i + 1u]; }
    case 2u: { a = x2[i]; b = x2[i + 1u]; }
    default: { a = x3[i]; b = x3[i + 1u]; }
  }
  return element(a, b);
}

fn store_row(base: u32, row: u32, log_stride: u32, w: array<u32, 8>) {
  let i = 2u * (base + ((row & (QUARTER_ROWS - 1u)) << log_stride));
  let a = vec4u(w[0], w[1], w[2], w[3]);
  let b = vec4u(w[4], w[5], w[6], w[7]);
  switch (row / QUARTER_ROWS) {
    case 0u: { x0[i] = a; x0[i + 1u] = b; }
    case 1u: { x1[i] = a; x1[i + 1u] = b; }
    case 2u: { x2[i] = a; x2[i + 1u] = b; }
    default: { x3[i] = a; x3[i + 1u] = b; }
  }
}
