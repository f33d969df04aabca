// A list of references is cut into groups (x: offset in the list, y: elements). A scan runs over
// (pairs, elements after the round) of the groups, or over (0, elements) where HALVE is false.
// Needs the constants WG, GROUPS_PER_THREAD, HALVE.
// @import "scan-item.wgsl"
// @import "workgroup-scan.wgsl"
const GROUPS_PER_BLOCK: u32 = WG * GROUPS_PER_THREAD;
