// Elements of a vector between memory and registers. ENTER: the words read are of an element in two's complement;
// LEAVE: the words written are canonical; otherwise both are in the form that the transforms keep (fr_pack).
// @import "../field/fr.wgsl"
fn element(a: vec4u, b: vec4u) -> Fr {
  if (ENTER) { return fr_enter(a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w); }
  return fr_unpack(a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w);
}

fn constant(a: vec4u, b: vec4u) -> Fr { return fr_unpack_biased(a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w); }

// words of a product
fn product_words(v: Fr) -> array<u32, 8> {
  if (LEAVE) { return fr_canon(v); }
  return fr_pack(v);
}

// words of a sum
fn sum_words(v: Fr) -> array<u32, 8> {
  if (LEAVE) { return fr_canon(v); }
  return fr_pack_sum(v);
}
