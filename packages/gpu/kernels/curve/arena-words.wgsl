// Words on their way to the arena. Needs ARENA_ROWS (software adapters); the importing kernel declares params.
// @import "../field/stored.wgsl"
fn arena_words(words: vec4u) -> vec4u {
  if (ARENA_ROWS) { return stored(words, params.arena_points == 0u); }
  return words;
}
