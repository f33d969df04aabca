import {
  POSEIDON_FULL_ROUNDS,
  type PoseidonArity,
  poseidonPartialRounds,
} from '../hash/poseidon-constants.ts';
import type { ElementRef } from '../r1cs/witness-sink.ts';
import type { FillContext } from './fill-context.ts';

/** Aux of one gadget, all of them elements (spec §6.15). */
export function poseidonAux(arity: PoseidonArity): number {
  const sboxes = POSEIDON_FULL_ROUNDS * (arity + 1) + poseidonPartialRounds(arity) - 1;
  // Four aux an S-box, but three in the first round, where the preimage is not copied; then the digest.
  return 4 * sboxes - arity + 1;
}

/** Poseidon of elements of this witness; the digest's element. Throws RangeError for an arity without constants. */
export function fillPoseidon(
  { sink, poseidon, checkpoint }: FillContext,
  preimage: readonly ElementRef[],
): ElementRef {
  const count = poseidonAux(preimage.length as PoseidonArity);
  const at = sink.reserveElements(count);
  poseidon(sink.elements, preimage, at);
  checkpoint();
  return at + count - 1;
}
