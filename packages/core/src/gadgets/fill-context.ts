import type { ElementRef, WitnessSink } from '../r1cs/witness-sink.ts';

/**
 * Computes one Poseidon gadget: reads the preimage from `elements` (8 words each, little-endian
 * canonical) and writes its poseidonAux(arity) aux values there from `at` on, in allocation order; the last
 * is the digest. The one place where field multiplications of a synthesis happen.
 */
export type PoseidonKernel = (
  elements: Uint32Array,
  preimage: readonly ElementRef[],
  at: ElementRef,
) => void;

/** What the fills of a circuit share. */
export interface FillContext {
  readonly sink: WitnessSink;
  readonly poseidon: PoseidonKernel;
  /** Called after at most a few milliseconds of work; may throw to abandon the synthesis. */
  readonly checkpoint: () => void;
  /**
   * Called where values that a row of the circuit equates differ, with a pointer to the part of the input
   * that does not fit; may throw. All rows but such equalities hold by construction.
   */
  readonly unsatisfied: (pointer: string) => void;
}
