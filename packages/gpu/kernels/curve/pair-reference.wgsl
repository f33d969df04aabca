// References to points, and the cases of an addition.
// Bits of a reference: 28 negate, 27 the arena (else the base array), 26…0 index.
// The second reference of a pair carries the case in bits 31…29 once pass A has seen it.
const NEGATE: u32 = 0x10000000u;
const ARENA: u32 = 0x08000000u;
const INDEX_MASK: u32 = 0x07ffffffu;
const REFERENCE_MASK: u32 = 0x1fffffffu;
const CASE_SHIFT: u32 = 29u;
// Different x, both finite: the batch handles it.
const CASE_PLAIN: u32 = 0u;
// The second point is infinity: the sum is the first.
const CASE_FIRST: u32 = 1u;
// The first point is infinity: the sum is the second.
const CASE_SECOND: u32 = 2u;
// x1 ≡ x2 as far as 32 bits show: pair-alike.wgsl adds the two exactly.
const CASE_ALIKE: u32 = 3u;

// p^-1 mod 2^32: x1 ≡ x2 makes the difference of their stored words a small multiple of p.
const P_INVERSE: u32 = 0x00030003u;
fn maybe_congruent(low1: u32, low2: u32) -> bool { return (low2 - low1) * P_INVERSE + 8u <= 16u; }
fn sign_mask(reference: u32) -> u32 { return 0u - ((reference >> 28u) & 1u); }

// Words of the state buffer, written by the plan kernels.
const STATE_PAIRS: u32 = 0u;      // pairs of this round
const STATE_ELEMENTS: u32 = 1u;   // list elements after this round
const STATE_NEXT: u32 = 2u;       // first free arena slot after this round
const STATE_OUT: u32 = 3u;        // arena slot of this round's first sum
const STATE_ALIKE: u32 = 4u;      // pairs of this round in the alike list
const STATE_LARGEST: u32 = 5u;    // elements of the largest group, before the first round

struct PairParams {
  arena_points: u32,   // points the arena holds: the distance of its planes where it has planes
  product_slots: u32,  // distance of the planes of products
  per_thread: u32,     // pairs per thread when there are many
  min_threads: u32,
  base_start: u32,     // base index of the first point in the binding
  inversions: u32,     // inversions at most
  unit: u32,           // 1: see fp2.wgsl
}
fn thread_count(pairs: u32, per_thread: u32, min_threads: u32) -> u32 {
  return max(max((pairs + per_thread - 1u) / per_thread, min(pairs, min_threads)), 1u);
}
