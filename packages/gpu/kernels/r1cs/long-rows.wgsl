// All other rows: combinations of any length, of bits, inputs and elements with any coefficients. One invocation per
// row and instance.
// terms: x = kind and index (see the kinds below), y = number of the coefficient.
// rows: five words each: row of the template, then the first term of a, b, c and the end of c.
// coefficients: four vec4u each: the value as stored, then the biased constant.
// @import "../field/fr.wgsl"
struct Place {
  rows: u32,
  first_row: u32,
  row_stride: u32,
  bit_base: u32,
  bit_stride: u32,
  first_instance: u32,
  count: u32,
  out_start: u32,
  out_count: u32,
  input_base: u32,     // in values
  input_stride: u32,
  element_base: u32,   // in values
  element_stride: u32,
  montgomery: u32,     // number of the coefficient R
  matrix: u32,         // see long-values.wgsl
  unit: u32,           // 1, which no driver knows: a loop over one multiplier is not unrolled
}
@group(0) @binding(1) var<storage, read> bits: array<u32>;
@group(0) @binding(2) var<storage, read> shared_bits: array<u32>;
@group(0) @binding(3) var<storage, read> values: array<vec4u>;
@group(0) @binding(4) var<storage, read> coefficients: array<vec4u>;
@group(0) @binding(5) var<storage, read> rows: array<u32>;
@group(0) @binding(6) var<storage, read> terms: array<vec2u>;
@group(0) @binding(7) var<uniform> place: Place;

const LOCAL_BIT = 0u;
const SHARED_BIT = 1u;
const LOCAL_INPUT = 2u;
const LOCAL_ELEMENT = 3u; // 4: an index into values as it stands

// Terms added between two reductions; 32 values below r keep every limb and the estimate of red in range.
const REDUCE_EVERY_MASK = 31u;

fn constant(number: u32) -> Fr {
  let a = coefficients[4u * number + 2u];
  let b = coefficients[4u * number + 3u];
  return fr_unpack_biased(a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w);
}

fn bit_at(kind: u32, index: u32, bit_base: u32) -> u32 {
  if (kind == SHARED_BIT) { return (shared_bits[index >> 5u] >> (index & 31u)) & 1u; }
  let bit = bit_base + index;
  return (bits[bit >> 5u] >> (bit & 31u)) & 1u;
}

fn value_at(kind: u32, index: u32, instance: u32) -> Fr {
  var i = index;
  if (kind == LOCAL_INPUT) { i += place.input_base + instance * place.input_stride; }
  else if (kind == LOCAL_ELEMENT) { i += place.element_base + instance * place.element_stride; }
  let a = values[2u * i];
  let b = values[2u * i + 1u];
  return fr_unpack(a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w);
}

fn coefficient(number: u32) -> Fr {
  let a = coefficients[4u * number];
  let b = coefficients[4u * number + 1u];
  return fr_unpack(a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w);
}

// N form, within r/2 and a little
fn combination(start: u32, end: u32, instance: u32) -> Fr {
  let bit_base = place.bit_base + instance * place.bit_stride;
  var sum = fr_zero();
  for (var t = start; t < end; t++) {
    let term = terms[t];
    let kind = term.x >> 28u;
    let index = term.x & 0x0fffffffu;
    if (kind <= SHARED_BIT) {
      if (bit_at(kind, index, bit_base) != 0u) { sum = fr_add(sum, coefficient(term.y)); }
    } else {
      sum = fr_add(sum, fr_mul(value_at(kind, index, instance), constant(term.y)));
    }
    if (((t - start) & REDUCE_EVERY_MASK) == REDUCE_EVERY_MASK) { sum = fr_norm(fr_red(fr_norm(sum))); }
  }
  return fr_norm(fr_red(fr_norm(sum)));
}

// a·b: b·R first, as a product takes R away
fn times(a: Fr, b: Fr) -> Fr {
  var factor = b;
  var product = constant(place.montgomery);
  var turn = 0u;
  loop {
    product = fr_mul(factor, product);
    factor = a;
    continuing {
      turn++;
      break if turn == 2u * place.unit;
    }
  }
  return product;
}
