// Puts earlier sums into the arena: row first_row + i into slot i. Needs ROW, the vec4u of a row.
// @import "../field/grid.wgsl"
// @import "arena-slot.wgsl"
@group(0) @binding(0) var<storage, read> rows: array<vec4u>;
@group(0) @binding(1) var<storage, read_write> arena_x: array<vec4u>;
@group(0) @binding(2) var<storage, read_write> arena_y: array<vec4u>;
struct Params { count: u32, first_row: u32, arena_points: u32 }
@group(0) @binding(3) var<uniform> params: Params;

@compute @workgroup_size(WG)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  let i = linear_id(group, groups, local);
  if (i >= params.count) { return; }
  let o = (params.first_row + i) * ROW;
  for (var j = 0u; j < ROW / 2u; j++) {
    arena_x[arena_at(i, j)] = rows[o + j];
    arena_y[arena_at(i, j)] = rows[o + ROW / 2u + j];
  }
}
