// What the kernels of a round in batches share: a workgroup takes a stretch of the pairs and goes through it in batches
// of at most STEPS pairs an invocation, whose points and products stay in a core's cache. Needs LEAST_PAIRS, the pairs
// that are worth another workgroup, and PRODUCT, the vec4u kept of a pair.
// Loops are checked at their end: where that comes first, Mesa runs the body once more with all lanes masked. It runs
// what follows a return or continue masked as well, but leaves a loop that nobody is left in.
struct Stretch {
  first: u32,    // pair of the workgroup's first invocation
  steps: u32,    // pairs of each invocation
  batches: u32,
}
fn stretch_of(workgroup: u32, workgroups_at_most: u32, pair_count: u32) -> Stretch {
  let workgroups = clamp((pair_count + LEAST_PAIRS - 1u) / LEAST_PAIRS, 1u, workgroups_at_most);
  let steps = (pair_count + WG * workgroups - 1u) / (WG * workgroups);
  return Stretch(workgroup * steps * WG, steps, (steps + STEPS - 1u) / STEPS);
}
fn product_slot(workgroup: u32, step: u32, local: u32) -> u32 {
  return (workgroup * STEPS + step) * PRODUCT * WG + local;
}
