// What transforms need of Fr beyond the field's contract, for variants in limbs: they keep elements as stored, and a
// multiplication by the fourth root is an ordinary one.
import { balancedDigits } from './signed-limbs.mjs';
import { construct, range, u32 } from './wgsl-text.mjs';

/** WGSL of turn, enter, operand and pack_sum over Fr in signed limbs. `fourthRoot` is what turn multiplies by. */
export function transformFunctions({ modulus, limbs, bits, fourthRoot }) {
  const montgomery = (fourthRoot << BigInt(limbs * bits)) % modulus;
  const root = construct('Fr', balancedDigits(montgomery, limbs, bits).map(u32));
  const words = range(8);
  return `// times the fourth root of unity
fn fr_turn(a: Fr) -> Fr { return fr_mul(a, ${root}); }
fn fr_enter(${words.map((i) => `w${i}: u32`).join(', ')}) -> Fr { return fr_unpack(${words.map((i) => `w${i}`).join(', ')}); }
// what a butterfly leaves, as an operand of mul
fn fr_operand(a: Fr) -> Fr { return fr_norm(a); }
// stored words of a sum
fn fr_pack_sum(a: Fr) -> array<u32, 8> { return fr_pack(fr_red(a)); }
`;
}
