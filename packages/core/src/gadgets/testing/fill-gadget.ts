import { bigintFromLe } from '../../bytes.ts';
import { bitmapOf } from '../../r1cs/bitmap.ts';
import { expandAux } from '../../r1cs/testing/expand-witness.ts';
import { type WitnessCounts, WitnessSink } from '../../r1cs/witness-sink.ts';
import type { FillContext } from '../fill-context.ts';
import { poseidonKernelWasm } from '../fill-poseidon-wasm.ts';

export interface FilledGadget {
  readonly inputs: readonly bigint[];
  readonly aux: readonly bigint[];
  /** Bitmap over aux of the variables that are not elements. */
  readonly typedBits: Uint32Array;
  /** Pointers of everything that did not fit. */
  readonly unsatisfied: readonly string[];
}

/** Runs one fill on a sink of its own. */
export function fillGadget(
  counts: WitnessCounts,
  fill: (context: FillContext) => void,
): FilledGadget {
  const marks = bitmapOf(counts.aux);
  const sink = new WitnessSink(counts, marks);
  const unsatisfied: string[] = [];
  fill({
    sink,
    poseidon: poseidonKernelWasm,
    checkpoint: () => {},
    unsatisfied: (pointer) => unsatisfied.push(pointer),
  });
  const witness = sink.finish('test', '');
  const aux = expandAux(witness, marks, counts.aux);
  const typedBits = marks.map((word) => ~word);
  const rest = counts.aux % 32;
  if (rest > 0) typedBits[typedBits.length - 1] &= (1 << rest) - 1;
  return { inputs: valuesOf(witness.inputs), aux: valuesOf(aux), typedBits, unsatisfied };
}

const valuesOf = (bytes: Uint8Array): bigint[] =>
  Array.from({ length: bytes.length / 32 }, (_, i) =>
    bigintFromLe(bytes.subarray(32 * i, 32 * i + 32)),
  );
