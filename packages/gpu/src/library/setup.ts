import type { CircuitShape } from '@cuzk/core/r1cs/shape';
import { makeParams } from '../setup/setup.ts';
import type { Gpu } from './open.ts';
import { randomScalar } from './random-scalar.ts';

/** The bytes of a `.params` and of a `.vk` file. */
export interface Parameters {
  readonly params: Uint8Array;
  readonly vk: Uint8Array;
}

/**
 * Parameters of a circuit from secrets that are drawn here and forgotten. Whoever runs this could have kept them, and
 * could then forge proofs: trust such parameters as far as you trust that party. Throws CuzkError SETUP_FAILED,
 * CANCELLED.
 */
export async function setup(
  { context }: Gpu,
  shape: CircuitShape,
  options: { readonly signal?: AbortSignal } = {},
): Promise<Parameters> {
  const waste = {
    alpha: randomScalar(),
    beta: randomScalar(),
    gamma: randomScalar(),
    delta: randomScalar(),
    tau: randomScalar(),
  };
  const pieces: Uint8Array[] = [];
  const write = async (bytes: Uint8Array): Promise<void> => {
    pieces.push(bytes.slice());
  };
  const vk = await makeParams(context, shape, waste, write, options);
  const params = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    params.set(piece, at);
    at += piece.length;
  }
  return { params, vk };
}
