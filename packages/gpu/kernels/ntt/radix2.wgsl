// The innermost level of a transform of 2^odd points: neighbours. On a coset the twiddle is the fourth root, after the
// sums of DIF and before those of DIT; otherwise there is none and DIT makes no difference.
// @import "../field/grid.wgsl"
// @import "element.wgsl"
// @import "../field/stored.wgsl"
@group(0) @binding(0) var<storage, read_write> x: array<vec4u>;
@group(0) @binding(1) var<uniform> params: vec4u; // pairs; 0 or 1: inverse, coset

// times the fourth root, or its inverse, on a coset
fn turned(a: Fr) -> Fr {
  var v = a;
  if (params.z == 1u) { v = fr_neg_if(fr_turn(a), 0u - params.y); }
  return v;
}

fn load(p: u32) -> Fr { return element(x[2u * p], x[2u * p + 1u]); }

fn store(p: u32, v: Fr) {
  let w = sum_words(v);
  x[2u * p] = stored(vec4u(w[0], w[1], w[2], w[3]), params.x == 0u);
  x[2u * p + 1u] = stored(vec4u(w[4], w[5], w[6], w[7]), params.x == 0u);
}

@compute @workgroup_size(WG)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  let i = linear_id(group, groups, local);
  if (i >= params.x) { return; }
  let a = load(2u * i);
  var b = load(2u * i + 1u);
  if (DIT) { b = turned(b); }
  store(2u * i, fr_add(a, b));
  var d = fr_sub(a, b);
  if (!DIT) { d = turned(d); }
  store(2u * i + 1u, d);
}
