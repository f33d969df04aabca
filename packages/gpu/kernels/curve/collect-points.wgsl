// Points by reference into rows: element i of a list, or (grouped) what is left of group i, infinity where it is empty.
// Needs ROW, the vec4u of a row: 6 (G1) or 12 (G2).
// @import "../field/grid.wgsl"
// @import "arena-slot.wgsl"
// @import "fp-memory.wgsl"
// @import "pair-reference.wgsl"
@group(0) @binding(0) var<storage, read> list: array<u32>;
@group(0) @binding(1) var<storage, read> point_groups: array<vec2u>;
@group(0) @binding(2) var<storage, read> base: array<vec4u>;
@group(0) @binding(3) var<storage, read> arena_x: array<vec4u>;
@group(0) @binding(4) var<storage, read> arena_y: array<vec4u>;
@group(0) @binding(5) var<storage, read_write> rows: array<vec4u>;
struct Params { count: u32, list_start: u32, first_row: u32, arena_points: u32, base_start: u32, grouped: u32 }
@group(0) @binding(6) var<uniform> params: Params;

fn load(reference: u32, j: u32) -> vec4u {
  let i = reference & INDEX_MASK;
  if ((reference & ARENA) == 0u) { return base[(i - params.base_start) * ROW + j]; }
  if (j < ROW / 2u) { return arena_x[arena_at(i, j)]; }
  return arena_y[arena_at(i, j - ROW / 2u)];
}

@compute @workgroup_size(WG)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  let i = linear_id(group, groups, local);
  if (i >= params.count) { return; }
  var at = params.list_start + i;
  var empty = false;
  if (params.grouped == 1u) {
    let point_group = point_groups[i];
    at = point_group.x;
    empty = point_group.y == 0u;
  }
  let o = (params.first_row + i) * ROW;
  if (empty) {
    for (var j = 0u; j < ROW; j++) { rows[o + j] = vec4u(0u); }
    return;
  }
  let reference = list[at];
  for (var j = 0u; j < ROW; j += 3u) {
    var row = FpRow(load(reference, j), load(reference, j + 1u), load(reference, j + 2u));
    if (j >= ROW / 2u && (reference & NEGATE) != 0u) {
      row = fp_to_row(fp_red(fp_neg_if(fp_of_row(row), 0xffffffffu)));
    }
    rows[o + j] = row.a;
    rows[o + j + 1u] = row.b;
    rows[o + j + 2u] = row.c;
  }
}
