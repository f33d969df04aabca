// Rows whose combinations are at most seven terms of small integers times bits: the bulk of every hash circuit.
// The program of a chunk of template rows holds for each matrix, from its base on, four words per 32 rows (index of
// the first term, three bit planes of the row lengths), then the terms: bits 31-24 a signed coefficient, bit 23
// selects the shared bits, bits 22-0 the bit's number.
struct Place {
  chunk_rows: u32,     // rows of this chunk of the template
  first_row: u32,      // row of the circuit of the chunk's first row in instance 0
  row_stride: u32,     // rows of one instance
  bit_base: u32,       // bit of the circuit's aux of the template's first aux in instance 0
  bit_stride: u32,
  first_instance: u32,
  count: u32,          // invocations: chunk_rows · instances
  out_start: u32,      // circuit row of element 0 of the output binding
  out_count: u32,
  a_base: u32,         // word of the first header of each matrix
  b_base: u32,
  c_base: u32,
  matrix: u32,         // see short-values.wgsl
}
@group(0) @binding(1) var<storage, read> bits: array<u32>;
@group(0) @binding(2) var<storage, read> shared_bits: array<u32>;
@group(0) @binding(3) var<storage, read> program: array<u32>;
@group(0) @binding(4) var<uniform> place: Place;

fn bit_of(term: u32, bit_base: u32) -> u32 {
  let index = term & 0x7fffffu;
  if ((term & 0x800000u) != 0u) { return (shared_bits[index >> 5u] >> (index & 31u)) & 1u; }
  let bit = bit_base + index;
  return (bits[bit >> 5u] >> (bit & 31u)) & 1u;
}

// Value of chunk row i of the matrix whose headers start at `base`: below 2^10 in size.
fn row_value(base: u32, i: u32, bit_base: u32) -> i32 {
  let h = base + 4u * (i >> 5u);
  let lane = i & 31u;
  let below = (1u << lane) - 1u;
  let ones = program[h + 1u];
  let twos = program[h + 2u];
  let fours = program[h + 3u];
  let start = program[h] + countOneBits(ones & below) + 2u * countOneBits(twos & below) + 4u * countOneBits(fours & below);
  let end = start + ((ones >> lane) & 1u) + 2u * ((twos >> lane) & 1u) + 4u * ((fours >> lane) & 1u);
  var sum = 0i;
  for (var t = start; t < end; t++) {
    let term = program[t];
    sum += (bitcast<i32>(term) >> 24u) * bitcast<i32>(bit_of(term, bit_base));
  }
  return sum;
}
