// Linear index of an invocation in a dispatch folded over x and y. Needs the constant WG.
fn linear_id(group: vec3u, groups: vec3u, local: u32) -> u32 {
  return (group.y * groups.x + group.x) * WG + local;
}
