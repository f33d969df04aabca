// Exclusive prefix sum of one vec2u per invocation of a workgroup of WG.
var<workgroup> scan_cells: array<vec2u, WG>;
fn workgroup_scan(local: u32, value: vec2u) -> vec2u {
  var sum = value;
  scan_cells[local] = sum;
  workgroupBarrier();
  for (var distance = 1u; distance < WG; distance = distance << 1u) {
    var left = vec2u(0u);
    if (local >= distance) { left = scan_cells[local - distance]; }
    workgroupBarrier();
    sum += left;
    scan_cells[local] = sum;
    workgroupBarrier();
  }
  return sum - value;
}
