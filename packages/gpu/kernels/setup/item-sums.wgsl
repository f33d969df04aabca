// Adds to out, for every item of a transposed template and every instance, the sum of coefficient·L[row] over those of
// the item's terms whose row lies in one part of L. An item is a column, or a slice of a long column; one invocation
// per item and instance.
// terms: x = row of the template, y = number of the coefficient (+2^y, -1, then the dictionary).
// @import "../field/grid.wgsl"
// @import "../field/fr.wgsl"
struct Place {
  width: u32,       // items of an instance that take part
  offset: u32,      // number of the first of them in the template
  first: u32,       // of these, counted over all instances, the first invocation's
  count: u32,       // invocations
  out_start: u32,   // element of the first invocation
  row_base: u32,    // row of the circuit of the template's first row in instance 0
  row_stride: u32,  // rows of one instance
  part_first: u32,  // row of element 0 of the part of L
  part_count: u32,
  chunk_first: u32, // items whose terms are in this binding
  chunk_items: u32,
  term_base: u32,   // number of its first term
}
@group(0) @binding(0) var<storage, read_write> out: array<vec4u>;
@group(0) @binding(1) var<storage, read> lagrange: array<vec4u>;
@group(0) @binding(2) var<storage, read> coefficients: array<vec4u>;
@group(0) @binding(3) var<storage, read> pointers: array<u32>;
@group(0) @binding(4) var<storage, read> terms: array<vec2u>;
@group(0) @binding(5) var<uniform> place: Place;

const PLUS_ONE: u32 = 0u;
const MINUS_ONE: u32 = 254u;
// Terms added between two reductions: 32 stored values (below 1.11·r in size) and a reduced one are within ±36·r,
// which keeps every limb and the estimate of red in range.
const REDUCE_EVERY_MASK: u32 = 31u;

fn constant(number: u32) -> Fr {
  let a = coefficients[2u * number];
  let b = coefficients[2u * number + 1u];
  return fr_unpack_biased(a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w);
}
fn reduced(a: Fr) -> Fr { return fr_norm(fr_red(fr_norm(a))); }

@compute @workgroup_size(WG)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  let t = linear_id(group, groups, local);
  if (t >= place.count) { return; }
  let item = place.offset + (place.first + t) % place.width;
  if (item - place.chunk_first >= place.chunk_items) { return; }
  let row_first = place.row_base + ((place.first + t) / place.width) * place.row_stride;
  if (row_first >= place.part_first + place.part_count || row_first + place.row_stride <= place.part_first) { return; }
  let start = pointers[item] - place.term_base;
  let end = pointers[item + 1u] - place.term_base;
  if (start == end) { return; }
  let o = 2u * (place.out_start + t);
  var sum = fr_unpack(out[o].x, out[o].y, out[o].z, out[o].w, out[o + 1u].x, out[o + 1u].y, out[o + 1u].z, out[o + 1u].w);
  for (var k = start; k < end; k++) {
    let term = terms[k];
    let at = row_first + term.x - place.part_first;
    if (at < place.part_count) {
      let a = lagrange[2u * at];
      let b = lagrange[2u * at + 1u];
      let value = fr_unpack(a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w);
      if (term.y == PLUS_ONE) {
        sum = fr_add(sum, value);
      } else if (term.y == MINUS_ONE) {
        sum = fr_sub(sum, value);
      } else {
        sum = fr_add(sum, fr_mul(value, constant(term.y)));
      }
    }
    if (((k - start) & REDUCE_EVERY_MASK) == REDUCE_EVERY_MASK) { sum = reduced(sum); }
  }
  let w = fr_pack(reduced(sum));
  out[o] = vec4u(w[0], w[1], w[2], w[3]);
  out[o + 1u] = vec4u(w[4], w[5], w[6], w[7]);
}
