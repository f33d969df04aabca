// Where a vec4u of a coordinate of an arena point lies: in planes, so that neighbouring invocations read neighbouring
// addresses, or (ARENA_ROWS, software adapters) in rows, so that they fill cache lines one after the other. Needs ROW,
// the vec4u of a point. The importing kernel declares params.
fn arena_at(slot: u32, part: u32) -> u32 {
  if (ARENA_ROWS) { return slot * (ROW / 2u) + part; }
  return slot + part * params.arena_points;
}
