// Coordinates as files have them (zcash form): 48 big-endian bytes, canonical; the flag bits of a point are the
// top three of its first byte. As words of the buffer, word k counts from the most significant end.
const COMPRESSED_FLAGS: u32 = 0xa0000000u; // compression and sign of y: neither belongs to an uncompressed point
const INFINITY_FLAG: u32 = 0x40000000u;
const ALL_FLAGS: u32 = 0xe0000000u;

const P_WORDS = array<u32, 12>(
  0xffffaaabu, 0xb9feffffu, 0xb153ffffu, 0x1eabfffeu, 0xf6b0f624u, 0x6730d2a0u,
  0xf38512bfu, 0x64774b84u, 0x434bacd7u, 0x4b1ba7b6u, 0x397fe69au, 0x1a0111eau,
);

fn swap_bytes(w: u32) -> u32 {
  return (w << 24u) | ((w & 0xff00u) << 8u) | ((w >> 8u) & 0xff00u) | (w >> 24u);
}
