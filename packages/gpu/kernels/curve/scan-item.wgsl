// What a scan over groups adds up: (pairs, elements after the round), or (0, elements) where HALVE is false.
fn scan_item(elements: u32) -> vec2u {
  if (HALVE) { return vec2u(elements >> 1u, (elements + 1u) >> 1u); }
  return vec2u(0u, elements);
}
