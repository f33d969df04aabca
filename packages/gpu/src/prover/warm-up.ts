import { FR_BYTES } from '@cuzk/core/field/fr';
import { countBits } from '@cuzk/core/r1cs/bitmap';
import type { CompactWitness } from '@cuzk/core/r1cs/compact-witness';
import { sumOverInstances } from '@cuzk/core/r1cs/density';
import type { CircuitShape } from '@cuzk/core/r1cs/shape';
import type { GpuContext } from '../device/context.ts';
import { seededArray } from '../field/seeded-words.ts';
import { countUnsatisfiedRows } from '../r1cs/r1cs-eval.ts';
import { provePartition, uploadPartition } from './prover.ts';
import type { ProvingCircuit } from './proving-circuit.ts';

const WORDS = FR_BYTES / 4;
/** Keeps every value below r, whose top word is 0x73eda753. */
const TOP_WORD = 0x3fffffff;

/**
 * Proves a made-up witness of a loaded circuit, and drops the proof: every pipeline that a proof of this circuit needs
 * is compiled then, and every buffer is there, so that the first real partition takes no longer than the others. The
 * witness satisfies nothing; its values are spread as in a real one, so that no kernel is left out.
 */
export async function warmUp(
  context: GpuContext,
  circuit: ProvingCircuit,
  options: { readonly checkWitness: boolean; readonly signal?: AbortSignal },
): Promise<void> {
  const { signal } = options;
  const uploaded = await uploadPartition(context, circuit, madeUpWitness(circuit.shape));
  try {
    if (options.checkWitness) {
      await countUnsatisfiedRows(context, circuit.deviceShape, uploaded.witness, signal);
    }
  } catch (error) {
    uploaded.close();
    throw error;
  }
  // Known blinding: nothing secret is in this proof.
  const blinding = { r: 1n, s: 2n };
  await provePartition(context, circuit, uploaded, blinding, {
    checkWitness: false,
    ...(signal === undefined ? {} : { signal }),
  });
}

function madeUpWitness(shape: CircuitShape): CompactWitness {
  const elements = sumOverInstances(shape, ({ elementBitmap }) => countBits(elementBitmap));
  const inputs = values(shape.inputs, 1);
  inputs.fill(0, 0, WORDS);
  inputs[0] = 1;
  return {
    circuitId: shape.circuitId,
    shapeDigest: shape.shapeDigest,
    inputs: new Uint8Array(inputs.buffer),
    bitPlane: seededArray(2, Math.ceil(shape.aux / 32)),
    elements: values(elements, 3),
  };
}

function values(count: number, seed: number): Uint32Array<ArrayBuffer> {
  const made = seededArray(seed, count * WORDS);
  for (let at = WORDS - 1; at < made.length; at += WORDS)
    made[at] = (made[at] as number) & TOP_WORD;
  return made;
}
