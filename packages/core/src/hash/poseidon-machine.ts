import { instantiateWasm } from '../field/wasm-module.ts';
import { POSEIDON_WASM } from './generated/poseidon-wasm.ts';
import { type PoseidonArity, poseidonConstants } from './poseidon-constants.ts';
import { poseidonTable } from './poseidon-table.ts';

/** What packages/core/assembly/poseidon.ts exports; numbers are addresses in its memory. */
interface ModuleExports {
  readonly memory: { readonly buffer: ArrayBuffer };
  readonly PREIMAGE: { readonly value: number };
  readonly VALUES: { readonly value: number };
  readonly TABLES: { readonly value: number };
  readonly BLOCK: { readonly value: number };
  readonly poseidon: (arity: number, rounds: number, table: number, witness: boolean) => void;
}

/** One thread's Poseidon in WebAssembly, with the memory that values pass through. */
export interface PoseidonMachine {
  /** Takes the preimage: 8 words an element, little-endian, below 2^256. */
  readonly preimage: Uint32Array;
  /** Holds what the last evaluation left, 8 words a value, little-endian canonical. */
  readonly values: Uint32Array;
  /** Evaluates to the digest alone. Throws RangeError for an arity without an instance. */
  readonly hash: (arity: PoseidonArity) => void;
  /** Evaluates to all aux values of the circuit's gadget in the order of allocation (spec §6.15). */
  readonly fill: (arity: PoseidonArity) => void;
}

function createMachine(): PoseidonMachine {
  const { memory, PREIMAGE, VALUES, TABLES, BLOCK, poseidon } =
    instantiateWasm<ModuleExports>(POSEIDON_WASM);
  const words = new Uint32Array(memory.buffer);
  const tables = new Map<PoseidonArity, { readonly at: number; readonly rounds: number }>();
  let free = TABLES.value;

  const tableOf = (arity: PoseidonArity) => {
    const known = tables.get(arity);
    if (known !== undefined) return known;
    const constants = poseidonConstants(arity);
    const table = poseidonTable(constants, BLOCK.value);
    words.set(table, free / 4);
    const made = { at: free, rounds: constants.partialRounds };
    tables.set(arity, made);
    free += table.byteLength;
    return made;
  };
  const evaluate = (arity: PoseidonArity, witness: boolean): void => {
    const { at, rounds } = tableOf(arity);
    poseidon(arity, rounds, at, witness);
  };
  return {
    preimage: words.subarray(PREIMAGE.value / 4, VALUES.value / 4),
    values: words.subarray(VALUES.value / 4, TABLES.value / 4),
    hash: (arity) => evaluate(arity, false),
    fill: (arity) => evaluate(arity, true),
  };
}

let machine: PoseidonMachine | undefined;

/** The machine of this thread, made on the first call; constants of an arity are derived on its first use. */
export function poseidonMachine(): PoseidonMachine {
  machine ??= createMachine();
  return machine;
}
