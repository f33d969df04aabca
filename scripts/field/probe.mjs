// The kernel that runs single field operations on stored operands, for tests and for the start-up self-test.
import { range } from './wgsl-text.mjs';

/**
 * WGSL of the probe of one field. `looseA`: what mul's first operand may have of a digit; where that is less than a
 * butterfly's 1.5, the first operand is carried in the chain.
 */
export function fieldProbe({ type, prefix, words, looseA }) {
  const loose = looseA >= 1.5;
  const carried = loose ? '' : `${prefix}_norm`;
  const loosest = `${prefix}_sub(a, load_y(o))`;
  const load = (name, unpack) =>
    `${unpack}(${range(words)
      .map((i) => `${name}[o + ${i}u]`)
      .join(', ')})`;
  const constant = `${prefix}_unpack_biased(${range(words)
    .map((i) => `c[${i}u]`)
    .join(', ')})`;
  return `// Probe: out[i] = words of operation OP on the stored operands x[i], y[i] and, read as a biased constant, z[i].
// 0 mul(x - y, z) as stored   1 sqr(norm(x)) as stored   2 x + y canonical   3 x - y canonical   4 -x canonical
// 5 one if x = y              6 x through pack_biased and unpack_biased, canonical
// 7 x <- x - w, then params.y times x <- x·y - w, canonical; w = z as stored, c = the biased constant R; or, where
//   params.z is 1, canonical the product of z and the loosest first operand, that of 8 if mul takes it, else of 0
// 8 mul((x - y) + z, z) as stored: the loosest operand of a butterfly
// @import "../field/grid.wgsl"
// @import "../field/${prefix}.wgsl"
@group(0) @binding(0) var<storage, read> x: array<u32>;
@group(0) @binding(1) var<storage, read> y: array<u32>;
@group(0) @binding(2) var<storage, read> z: array<u32>;
@group(0) @binding(3) var<storage, read> c: array<u32>;
@group(0) @binding(4) var<storage, read_write> out: array<u32>;
@group(0) @binding(5) var<uniform> params: vec4u; // count, steps, 1: loosest operand

fn load_x(o: u32) -> ${type} { return ${load('x', `${prefix}_unpack`)}; }
fn load_y(o: u32) -> ${type} { return ${load('y', `${prefix}_unpack`)}; }
fn load_z(o: u32) -> ${type} { return ${load('z', `${prefix}_unpack`)}; }
fn load_constant(o: u32) -> ${type} { return ${load('z', `${prefix}_unpack_biased`)}; }

fn probe(o: u32) -> array<u32, ${words}> {
  let a = load_x(o);
  if (OP == 0u) { return ${prefix}_pack(${prefix}_mul(${prefix}_sub(a, load_y(o)), load_constant(o))); }
  if (OP == 1u) { return ${prefix}_pack(${prefix}_sqr(${prefix}_norm(a))); }
  if (OP == 2u) { return ${prefix}_canon(${prefix}_add(a, load_y(o))); }
  if (OP == 3u) { return ${prefix}_canon(${prefix}_sub(a, load_y(o))); }
  if (OP == 4u) { return ${prefix}_canon(${prefix}_neg_if(a, 0xffffffffu)); }
  if (OP == 5u) {
    var flag = array<u32, ${words}>();
    flag[0] = select(0u, 1u, ${prefix}_is_zero(${prefix}_sub(a, load_y(o))));
    return flag;
  }
  if (OP == 6u) {
    let w = ${prefix}_pack_biased(${prefix}_norm(${prefix}_red(${prefix}_norm(a))));
    return ${prefix}_canon(${prefix}_unpack_biased(${range(words)
      .map((i) => `w[${i}]`)
      .join(', ')}));
  }
  if (OP == 7u) {
    var product = load_y(o);
    var factor = ${constant};
    if (params.z == 1u) {
      factor = load_constant(o);
      product = ${loose ? `${prefix}_add(${loosest}, factor)` : loosest};
    }
    for (var step = 0u; step <= params.y; step++) {
      product = ${prefix}_mul(product, factor);
      if (step == 0u) { factor = product; product = a; }
      product = ${carried}(${prefix}_sub(product, load_z(o)));
    }
    if (params.z == 1u) { product = factor; }
    return ${prefix}_canon(product);
  }
  let b = load_constant(o);
  return ${prefix}_pack(${prefix}_mul(${prefix}_add(${prefix}_sub(a, load_y(o)), b), b));
}

@compute @workgroup_size(WG)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  let i = linear_id(group, groups, local);
  if (i >= params.x) { return; }
  let w = probe(i * ${words}u);
  for (var k = 0u; k < ${words}u; k++) { out[i * ${words}u + k] = w[k]; }
}
`;
}
