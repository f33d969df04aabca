import type { PoseidonArity } from '../hash/poseidon-constants.ts';
import { poseidonMachine } from '../hash/poseidon-machine.ts';
import { ELEMENT_WORDS, type ElementRef } from '../r1cs/witness-sink.ts';
import { poseidonAux } from './fill-poseidon.ts';

/** PoseidonKernel in WebAssembly. */
export function poseidonKernelWasm(
  elements: Uint32Array,
  preimage: readonly ElementRef[],
  at: ElementRef,
): void {
  const arity = preimage.length as PoseidonArity;
  const { preimage: input, values, fill } = poseidonMachine();
  for (let i = 0; i < arity; i++) {
    const from = ELEMENT_WORDS * preimage[i];
    input.set(elements.subarray(from, from + ELEMENT_WORDS), ELEMENT_WORDS * i);
  }
  fill(arity);
  elements.set(values.subarray(0, ELEMENT_WORDS * poseidonAux(arity)), ELEMENT_WORDS * at);
}
